// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/sparse_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"

namespace coolspan {
namespace {

absl::Status CheckEntry(const MatrixEntry& entry, std::uint32_t rows,
                        std::uint32_t columns) {
  if (entry.row >= rows || entry.column >= columns) {
    return absl::InvalidArgumentError(fmt::format(
        "an entry of row {}, column {} in a matrix of {} x {}; one inside is "
        "wanted",
        std::uint64_t{entry.row} + 1, std::uint64_t{entry.column} + 1, rows,
        columns));
  }
  if (!std::isfinite(entry.value)) {
    return absl::InvalidArgumentError(
        fmt::format("the entry of row {}, column {} is {}; a finite number is "
                    "wanted",
                    entry.row + 1, entry.column + 1, entry.value));
  }
  return absl::OkStatus();
}

}  // namespace

// Two passes of counting: by column, then by row, which leaves both sorted.
absl::StatusOr<SparseMatrix> SparseMatrix::Create(
    std::uint32_t rows, std::uint32_t columns,
    std::span<const MatrixEntry> entries) {
  SparseMatrix matrix;
  Lines& by_row = matrix.by_row_;
  Lines& by_column = matrix.by_column_;
  by_row.first.assign(std::size_t{rows} + 1, 0);
  by_column.first.assign(std::size_t{columns} + 1, 0);
  std::size_t kept = 0;
  for (const MatrixEntry& entry : entries) {
    if (absl::Status status = CheckEntry(entry, rows, columns); !status.ok()) {
      return status;
    }
    if (entry.value == 0) continue;
    ++by_row.first[entry.row + 1];
    ++by_column.first[entry.column + 1];
    ++kept;
  }
  for (Lines* const lines : {&by_row, &by_column}) {
    for (std::size_t i = 1; i < lines->first.size(); ++i) {
      lines->first[i] += lines->first[i - 1];
    }
    lines->index.resize(kept);
    lines->value.resize(kept);
  }
  std::vector<std::size_t> next(by_column.first.begin(), by_column.first.end());
  for (const MatrixEntry& entry : entries) {
    if (entry.value == 0) continue;
    const std::size_t place = next[entry.column]++;
    by_column.index[place] = entry.row;
    by_column.value[place] = entry.value;
  }
  next.assign(by_row.first.begin(), by_row.first.end());
  for (std::uint32_t column = 0; column < columns; ++column) {
    const Line line = by_column.At(column);
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::uint32_t row = line.index[i];
      const std::size_t place = next[row]++;
      if (place > by_row.first[row] && by_row.index[place - 1] == column) {
        return absl::InvalidArgumentError(
            fmt::format("two entries for row {}, column {}; one is wanted",
                        row + 1, column + 1));
      }
      by_row.index[place] = column;
      by_row.value[place] = line.value[i];
    }
  }
  next.assign(by_column.first.begin(), by_column.first.end());
  for (std::uint32_t row = 0; row < rows; ++row) {
    const Line line = by_row.At(row);
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::size_t place = next[line.index[i]]++;
      by_column.index[place] = row;
      by_column.value[place] = line.value[i];
    }
  }
  return matrix;
}

double SparseMatrix::At(std::uint32_t row, std::uint32_t column) const {
  const Line line = Row(row);
  const auto found =
      std::lower_bound(line.index.begin(), line.index.end(), column);
  if (found == line.index.end() || *found != column) return 0;
  return line.value[static_cast<std::size_t>(found - line.index.begin())];
}

void SparseMatrix::Lines::AddScaled(std::uint32_t line, double factor,
                                    std::span<double> result) const {
  if (factor == 0) return;
  const Line entries = At(line);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    result[entries.index[i]] += factor * entries.value[i];
  }
}

void SparseMatrix::AddProduct(std::span<const double> vector,
                              std::span<double> result) const {
  for (std::uint32_t column = 0; column < columns(); ++column) {
    by_column_.AddScaled(column, vector[column], result);
  }
}

void SparseMatrix::AddTransposed(std::span<const double> vector,
                                 std::span<double> result) const {
  for (std::uint32_t row = 0; row < rows(); ++row) {
    by_row_.AddScaled(row, vector[row], result);
  }
}

}  // namespace coolspan
