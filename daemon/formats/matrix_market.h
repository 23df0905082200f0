// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_MATRIX_MARKET_H_
#define COOLSPAN_FORMATS_MATRIX_MARKET_H_

#include "absl/status/statusor.h"
#include "formats/matrix_file.h"
#include "formats/number_words.h"

namespace coolspan {

// Reads a MatrixMarket file, starting at its header line (matrix_file.h).
// Errors: also INVALID_ARGUMENT for more rows or entries than the limits,
// before memory is used for them.
absl::StatusOr<SquareMatrix> ReadMatrixMarket(NumberWords& words,
                                              MatrixLimits limits = {});

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_MATRIX_MARKET_H_
