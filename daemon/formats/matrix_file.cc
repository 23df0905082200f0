// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/matrix_file.h"

#include <fmt/format.h>

#include <string_view>

#include "core/counted.h"
#include "formats/matrix_market.h"

namespace coolspan {
namespace {

// One line per row.
absl::StatusOr<SquareMatrix> ReadRows(NumberWords& words) {
  SquareMatrix matrix;
  matrix.is_dense = true;
  std::size_t rows = 0;
  for (;;) {
    const std::vector<std::string_view>& row = words.line();
    if (rows == 0 && row.size() > kMaxDenseRows) {
      return words.Error(
          {}, fmt::format("matrix has {} columns (expected at most {}, or a "
                          "MatrixMarket coordinate file)",
                          row.size(), kMaxDenseRows));
    }
    if (rows == 0) matrix.size = static_cast<std::uint32_t>(row.size());
    if (row.size() != matrix.size) {
      return words.Error({},
                         fmt::format("row {} has {} entries (expected {}, as "
                                     "in row 1)",
                                     rows + 1, row.size(), matrix.size));
    }
    if (rows == matrix.size) {
      return words.Error(
          {}, fmt::format("matrix has more than {} (expected as many rows "
                          "as columns)",
                          Counted(rows, "row")));
    }
    for (const std::string_view word : row) {
      const absl::StatusOr<double> number = words.Number(word);
      if (!number.ok()) return number.status();
      matrix.values.push_back(*number);
    }
    ++rows;
    const absl::StatusOr<bool> more = words.Next();
    if (!more.ok()) return more.status();
    if (!*more) break;
  }
  if (rows < matrix.size) {
    return words.Error(
        {}, fmt::format("matrix has {}, {} (expected as many rows "
                        "as columns)",
                        Counted(rows, "row"), Counted(matrix.size, "column")));
  }
  return matrix;
}

}  // namespace

std::vector<double> SquareMatrix::Values() const {
  if (is_dense) return values;
  std::vector<double> all(std::size_t{size} * size, 0.0);
  for (const MatrixEntry& entry : entries) {
    all[std::size_t{entry.row} * size + entry.column] = entry.value;
  }
  return all;
}

absl::StatusOr<SquareMatrix> ReadMatrixFile(const std::string& path,
                                            EntryRange entries) {
  auto words = NumberWords::Open(path);
  if (!words.ok()) return words.status();
  words->set_range(entries);
  const absl::StatusOr<bool> any = words->Next();
  if (!any.ok()) return any.status();
  if (!*any) {
    return words->Error({},
                        "file has no numbers (expected one matrix row per "
                        "line, or a MatrixMarket file)");
  }
  return words->is_matrix_market() ? ReadMatrixMarket(*words)
                                   : ReadRows(*words);
}

}  // namespace coolspan
