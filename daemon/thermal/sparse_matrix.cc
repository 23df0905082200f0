// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/sparse_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace coolspan {
namespace {

using Eigen::Index;

constexpr std::size_t kMaxIndex = std::numeric_limits<int>::max();

absl::Status CheckEntry(const MatrixEntry& entry, std::uint32_t rows,
                        std::uint32_t columns) {
  if (entry.row >= rows || entry.column >= columns) {
    return absl::InvalidArgumentError(
        fmt::format("row {}, column {} is outside the {} x {} matrix",
                    std::uint64_t{entry.row} + 1,
                    std::uint64_t{entry.column} + 1, rows, columns));
  }
  if (!std::isfinite(entry.value)) {
    return absl::InvalidArgumentError(
        fmt::format("row {}, column {} is {} (expected a finite number)",
                    entry.row + 1, entry.column + 1, entry.value));
  }
  return absl::OkStatus();
}

// Iterates over the entries that are not 0 in the form setFromTriplets reads.
class NonZeros {
 public:
  NonZeros(const MatrixEntry* at, const MatrixEntry* end) : at_(at), end_(end) {
    SkipZeros();
  }

  const NonZeros* operator->() const { return this; }
  NonZeros& operator++() {
    ++at_;
    SkipZeros();
    return *this;
  }
  bool operator!=(const NonZeros& other) const { return at_ != other.at_; }

  int row() const { return static_cast<int>(at_->row); }
  int col() const { return static_cast<int>(at_->column); }
  double value() const { return at_->value; }

 private:
  void SkipZeros() {
    while (at_ != end_ && at_->value == 0) ++at_;
  }

  const MatrixEntry* at_;
  const MatrixEntry* end_;
};

// REQUIRES two entries for one place.
absl::Status DuplicateEntry(std::span<const MatrixEntry> entries) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
  for (const MatrixEntry& entry : entries) {
    if (entry.value != 0) places.emplace_back(entry.column, entry.row);
  }
  std::sort(places.begin(), places.end());
  const auto twice = std::adjacent_find(places.begin(), places.end());
  return absl::InvalidArgumentError(
      fmt::format("row {}, column {} is specified more than once",
                  twice->second + 1, twice->first + 1));
}

template <typename Matrix>
void AddLines(const Matrix& matrix, std::span<const double> factors,
              std::span<double> result) {
  for (Index line = 0; line < matrix.outerSize(); ++line) {
    const double factor = factors[static_cast<std::size_t>(line)];
    if (factor != 0) AddScaled(matrix, line, factor, result);
  }
}

}  // namespace

absl::Status SparseMatrix::Check(std::uint32_t rows, std::uint32_t columns,
                                 std::span<const MatrixEntry> entries) {
  if (std::max({std::size_t{rows}, std::size_t{columns}, entries.size()}) >
      kMaxIndex) {
    return absl::InvalidArgumentError(
        fmt::format("{} x {} matrix with {} entries (expected at most {} rows, "
                    "columns and entries)",
                    rows, columns, entries.size(), kMaxIndex));
  }
  for (const MatrixEntry& entry : entries) {
    if (absl::Status status = CheckEntry(entry, rows, columns); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<const SparseMatrix>> SparseMatrix::Create(
    std::uint32_t rows, std::uint32_t columns,
    std::span<const MatrixEntry> entries) {
  if (absl::Status status = Check(rows, columns, entries); !status.ok()) {
    return status;
  }
  const MatrixEntry* const end = entries.data() + entries.size();
  bool has_duplicates = false;
  std::unique_ptr<SparseMatrix> matrix(new SparseMatrix());
  matrix->by_column_.resize(rows, columns);
  matrix->by_column_.setFromTriplets(
      NonZeros(entries.data(), end), NonZeros(end, end),
      [&has_duplicates](double first, double /*second*/) {
        has_duplicates = true;
        return first;
      });
  if (has_duplicates) return DuplicateEntry(entries);
  matrix->by_row_ = matrix->by_column_;
  return matrix;
}

void SparseMatrix::AddProduct(std::span<const double> vector,
                              std::span<double> result) const {
  AddLines(by_column_, vector, result);
}

void SparseMatrix::AddTransposed(std::span<const double> vector,
                                 std::span<double> result) const {
  AddLines(by_row_, vector, result);
}

}  // namespace coolspan
