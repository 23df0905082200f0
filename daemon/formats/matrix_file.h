// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_MATRIX_FILE_H_
#define COOLSPAN_FORMATS_MATRIX_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "thermal/matrix_entry.h"

namespace coolspan {

// A square matrix as its file has it: all entries, or those that are given.
struct SquareMatrix {
  std::uint32_t size = 0;
  bool is_dense = false;
  std::vector<double> values;  // of a dense one, row after row
  // Of another, by row and column, none twice.
  std::vector<MatrixEntry> entries;

  // Row after row, zeros too.
  std::vector<double> Values() const;
};

// The most rows of a matrix with all entries, 800 MB; files of single entries
// may have up to 2^22.
inline constexpr std::uint32_t kMaxDenseRows = 10'000;
inline constexpr std::uint32_t kMaxSparseRows = 1U << 22;

// Reads a matrix of real numbers, plain text or gzip. Either MatrixMarket, told
// by its first word: coordinate or array, real or integer, general or symmetric
// (Boisvert, Pozo, Remington, NISTIR 5935); or a line for each row, cut at
// blanks, tabs and commas. # and % start comments in both.
// Errors: LineReader's; INVALID_ARGUMENT "file:line:column: ..." for what is no
// finite number, not square, broken off, too large, an entry given twice.
absl::StatusOr<SquareMatrix> ReadMatrixFile(const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_MATRIX_FILE_H_
