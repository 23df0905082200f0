// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/matrix_file.h"

#include <fmt/format.h>

#include <string_view>

#include "formats/matrix_market.h"
#include "formats/number_words.h"

namespace coolspan {
namespace {

// A line for each row.
absl::StatusOr<SquareMatrix> ReadRows(NumberWords& words) {
  SquareMatrix matrix;
  matrix.is_dense = true;
  std::size_t rows = 0;
  for (;;) {
    const std::vector<std::string_view>& row = words.line();
    if (rows == 0 && row.size() > kMaxDenseRows) {
      return words.Error(
          {}, fmt::format("the matrix has {} columns; at most {} are read, or "
                          "a MatrixMarket file of the entries that are not 0",
                          row.size(), kMaxDenseRows));
    }
    if (rows == 0) matrix.size = static_cast<std::uint32_t>(row.size());
    if (row.size() != matrix.size) {
      return words.Error({},
                         fmt::format("row {} has {} numbers; {} are wanted, as "
                                     "many as the first has",
                                     rows + 1, row.size(), matrix.size));
    }
    if (rows == matrix.size) {
      return words.Error(
          {}, fmt::format("the matrix has more than {} rows; as many as "
                          "columns are wanted",
                          rows));
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
        {}, fmt::format("the matrix ends after {} rows of {} numbers; as many "
                        "rows as columns are wanted",
                        rows, matrix.size));
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

absl::StatusOr<SquareMatrix> ReadMatrixFile(const std::string& path) {
  auto words = NumberWords::Open(path);
  if (!words.ok()) return words.status();
  const absl::StatusOr<bool> any = words->Next();
  if (!any.ok()) return any.status();
  if (!*any) {
    return words->Error({},
                        "the file has no numbers; a row of the matrix in each "
                        "line is wanted, or a MatrixMarket file");
  }
  return words->is_matrix_market() ? ReadMatrixMarket(*words)
                                   : ReadRows(*words);
}

}  // namespace coolspan
