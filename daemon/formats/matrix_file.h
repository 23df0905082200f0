// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_MATRIX_FILE_H_
#define COOLSPAN_FORMATS_MATRIX_FILE_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "formats/number_words.h"
#include "thermal/matrix_entry.h"

namespace coolspan {

// A square matrix in the form of its file: all entries, or coordinates.
struct SquareMatrix {
  std::uint32_t size = 0;
  bool is_dense = false;
  std::vector<double> values;        // if dense: size x size, row-major
  std::vector<MatrixEntry> entries;  // else: sorted by row, column; distinct

  // All entries, size x size, row-major.
  std::vector<double> Values() const;
};

// Maximum rows of a dense matrix (800 MB) and of one in coordinate form.
inline constexpr std::uint32_t kMaxDenseRows = 10'000;
inline constexpr std::uint32_t kMaxSparseRows = 1U << 22;

// What a matrix may have at most, besides the limits above.
struct MatrixLimits {
  std::uint32_t rows = kMaxSparseRows;
  // Of an array all of them; of a symmetric matrix both triangles.
  std::uint64_t entries = std::numeric_limits<std::uint64_t>::max();
};

// Reads a matrix of real numbers, plain text or gzip: MatrixMarket, detected by
// the first word (coordinate or array, real or integer, general or symmetric;
// Boisvert, Pozo, Remington, NISTIR 5935), or one line per row, numbers
// separated by blanks, tabs and commas. # and % start comments in both.
// Errors: as LineReader; INVALID_ARGUMENT "file:line:column: ..." for a value
// that is not a finite number, a matrix that is not square, too large or
// incomplete, and an entry specified more than once.
// entries: errors also for values outside the range.
absl::StatusOr<SquareMatrix> ReadMatrixFile(const std::string& path,
                                            EntryRange entries = {});

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_MATRIX_FILE_H_
