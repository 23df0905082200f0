// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/matrix_market.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "formats/data_lines.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

using Entry = MatrixEntry;

// The supported words of the header line; the format defines more.
struct Field {
  std::string_view name;
  std::array<std::string_view, 3> supported;
  std::string_view expected;  // for messages
};
constexpr Field kFields[] = {
    {"object", {"matrix"}, "matrix"},
    {"format", {"coordinate", "array"}, "coordinate or array"},
    {"type", {"real", "double", "integer"}, "real or integer"},
    {"symmetry", {"general", "symmetric"}, "general or symmetric"}};

bool Same(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase({a.data(), a.size()}, {b.data(), b.size()});
}

class MatrixMarketReader {
 public:
  MatrixMarketReader(NumberWords& words, MatrixLimits limits)
      : words_(words), limits_(limits) {}

  absl::StatusOr<SquareMatrix> Read() {
    if (absl::Status status = ReadBanner(); !status.ok()) return status;
    if (absl::Status status = ReadSize(); !status.ok()) return status;
    absl::Status status = matrix_.is_dense ? ReadArray() : ReadCoordinates();
    if (!status.ok()) return status;
    return std::move(matrix_);
  }

 private:
  absl::Status ReadBanner();
  absl::Status ReadSize();
  absl::Status TooMany(std::string_view word) const {
    return words_.Error(word, fmt::format("matrix has more than {} entries "
                                          "(expected at most {})",
                                          limits_.entries, limits_.entries));
  }
  absl::StatusOr<std::uint64_t> Integer(std::string_view word,
                                        std::uint64_t max,
                                        std::string_view name) const;
  absl::Status ReadCoordinates();
  absl::Status ReadEntry(std::span<const std::string_view> line);
  absl::Status ReadArray();
  absl::Status CheckDistinct() const;
  absl::Status Incomplete(std::uint64_t read, std::uint64_t expected) const {
    return words_.Error({}, fmt::format("file ends after {} entries (expected "
                                        "{})",
                                        read, expected));
  }

  NumberWords& words_;
  MatrixLimits limits_;
  SquareMatrix matrix_;
  bool is_symmetric_ = false;
  std::uint64_t count_ = 0;  // entries according to the size line
};

absl::Status MatrixMarketReader::ReadBanner() {
  const std::vector<std::string_view>& line = words_.line();
  constexpr std::size_t kWords = 1 + std::size(kFields);
  if (line.size() != kWords) {
    return words_.Error({}, fmt::format("MatrixMarket header has {} words "
                                        "(expected {}, as in \"%%MatrixMarket "
                                        "matrix coordinate real general\")",
                                        line.size(), kWords));
  }
  for (std::size_t i = 1; i < kWords; ++i) {
    const Field& field = kFields[i - 1];
    const bool known =
        std::any_of(field.supported.begin(), field.supported.end(),
                    [&](std::string_view word) { return Same(word, line[i]); });
    if (known) continue;
    return words_.Error(
        line[i], fmt::format("{}: invalid value {} (expected {})", field.name,
                             Quoted(line[i]), field.expected));
  }
  matrix_.is_dense = Same(line[2], "array");
  is_symmetric_ = Same(line[4], "symmetric");
  return absl::OkStatus();
}

absl::StatusOr<std::uint64_t> MatrixMarketReader::Integer(
    std::string_view word, std::uint64_t max, std::string_view name) const {
  const std::optional<std::uint32_t> number = ParseNumber(word);
  if (number.has_value() && *number >= 1 && *number <= max) return *number;
  return words_.Error(word, fmt::format("{}: invalid value {} (expected an "
                                        "integer from 1 to {})",
                                        name, Quoted(word), max));
}

absl::Status MatrixMarketReader::ReadSize() {
  const absl::StatusOr<bool> more = words_.Next();
  if (!more.ok()) return more.status();
  const std::size_t expected = matrix_.is_dense ? 2 : 3;
  if (!*more || words_.line().size() != expected) {
    return words_.Error(
        {}, fmt::format(
                "size line is missing (expected the numbers of rows{})",
                matrix_.is_dense ? " and columns" : ", columns and entries"));
  }
  const std::vector<std::string_view>& line = words_.line();
  const std::uint64_t max =
      std::min(limits_.rows, matrix_.is_dense ? kMaxDenseRows : kMaxSparseRows);
  const auto rows = Integer(line[0], max, "number of rows");
  if (!rows.ok()) return rows.status();
  const auto columns = Integer(line[1], max, "number of columns");
  if (!columns.ok()) return columns.status();
  if (*rows != *columns) {
    return words_.Error(line[0],
                        fmt::format("matrix is {}x{} (expected as many rows as "
                                    "columns)",
                                    *rows, *columns));
  }
  matrix_.size = static_cast<std::uint32_t>(*rows);
  const std::uint64_t all = *rows * *columns;
  if (matrix_.is_dense) {
    return all > limits_.entries ? TooMany(line[0]) : absl::OkStatus();
  }
  const std::optional<std::uint32_t> entries = ParseNumber(line[2]);
  if (!entries.has_value() || *entries > all) {
    return words_.Error(
        line[2], fmt::format("number of entries: invalid value {} (expected an "
                             "integer from 0 to {})",
                             Quoted(line[2]), all));
  }
  // Of a symmetric matrix those off the diagonal count twice.
  const std::uint64_t least = is_symmetric_
                                  ? 2 * std::uint64_t{*entries} -
                                        std::min<std::uint64_t>(*entries, *rows)
                                  : *entries;
  if (least > limits_.entries) return TooMany(line[2]);
  count_ = *entries;
  return absl::OkStatus();
}

absl::Status MatrixMarketReader::ReadEntry(
    std::span<const std::string_view> line) {
  if (line.size() != 3) {
    return words_.Error({}, fmt::format("entry has {} words (expected row, "
                                        "column and value)",
                                        line.size()));
  }
  const auto row = Integer(line[0], matrix_.size, "row");
  if (!row.ok()) return row.status();
  const auto column = Integer(line[1], matrix_.size, "column");
  if (!column.ok()) return column.status();
  const auto value = words_.Number(line[2]);
  if (!value.ok()) return value.status();
  if (is_symmetric_ && *column > *row) {
    return words_.Error(
        line[1], fmt::format("row {}, column {} is above the diagonal "
                             "(expected the lower triangle of a symmetric "
                             "matrix)",
                             *row, *column));
  }
  const Entry entry{static_cast<std::uint32_t>(*row - 1),
                    static_cast<std::uint32_t>(*column - 1), *value};
  const bool is_mirrored = is_symmetric_ && entry.row != entry.column;
  if (matrix_.entries.size() + (is_mirrored ? 2 : 1) > limits_.entries) {
    return TooMany({});
  }
  matrix_.entries.push_back(entry);
  if (is_mirrored) {
    matrix_.entries.push_back({entry.column, entry.row, entry.value});
  }
  return absl::OkStatus();
}

absl::Status MatrixMarketReader::ReadCoordinates() {
  for (std::uint64_t i = 0;; ++i) {
    const absl::StatusOr<bool> more = words_.Next();
    if (!more.ok()) return more.status();
    if (!*more && i < count_) return Incomplete(i, count_);
    if (!*more) break;
    if (i == count_) {
      return words_.Error({}, fmt::format("more than {} entries (expected the "
                                          "number in the size line)",
                                          count_));
    }
    absl::Status status = ReadEntry(words_.line());
    if (!status.ok()) return status;
  }
  std::sort(matrix_.entries.begin(), matrix_.entries.end(),
            [](const Entry& a, const Entry& b) {
              return std::tie(a.row, a.column) < std::tie(b.row, b.column);
            });
  return CheckDistinct();
}

absl::Status MatrixMarketReader::CheckDistinct() const {
  const auto repeated =
      std::adjacent_find(matrix_.entries.begin(), matrix_.entries.end(),
                         [](const Entry& a, const Entry& b) {
                           return a.row == b.row && a.column == b.column;
                         });
  if (repeated == matrix_.entries.end()) return absl::OkStatus();
  return words_.Error(
      {}, fmt::format("row {}, column {}: specified more than once, as {} and "
                      "{}",
                      repeated->row + 1, repeated->column + 1, repeated->value,
                      std::next(repeated)->value));
}

// Column-major; of a symmetric matrix from the diagonal down.
absl::Status MatrixMarketReader::ReadArray() {
  const std::uint64_t size = matrix_.size;
  const std::uint64_t expected =
      is_symmetric_ ? size * (size + 1) / 2 : size * size;
  std::uint64_t read = 0;
  std::vector<double> columns;
  for (;;) {
    const absl::StatusOr<bool> more = words_.Next();
    if (!more.ok()) return more.status();
    if (!*more) break;
    for (const std::string_view word : words_.line()) {
      if (read == expected) {
        return words_.Error(word, fmt::format("more than {} numbers (expected "
                                              "the number in the size line)",
                                              expected));
      }
      const auto value = words_.Number(word);
      if (!value.ok()) return value.status();
      columns.push_back(*value);
      ++read;
    }
  }
  if (read < expected) return Incomplete(read, expected);
  matrix_.values.resize(size * size);
  std::size_t next = 0;
  for (std::size_t column = 0; column < size; ++column) {
    for (std::size_t row = is_symmetric_ ? column : 0; row < size; ++row) {
      const double value = columns[next++];
      matrix_.values[row * size + column] = value;
      if (is_symmetric_) matrix_.values[column * size + row] = value;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SquareMatrix> ReadMatrixMarket(NumberWords& words,
                                              MatrixLimits limits) {
  return MatrixMarketReader(words, limits).Read();
}

}  // namespace coolspan
