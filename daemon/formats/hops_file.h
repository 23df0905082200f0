// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_HOPS_FILE_H_
#define COOLSPAN_FORMATS_HOPS_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "topology/hop_table.h"

namespace coolspan {

// Reads a square matrix of hop distances, plain text or gzip: one line per row,
// integers separated by blanks or commas; # starts a comment.
// Errors: as LineReader; INVALID_ARGUMENT "file:line:column: ..." for an entry
// that is not an integer from 0 to kMaxTableHops, rows of different lengths,
// more than kMaxTableVertices rows, a diagonal that is not zero and a matrix
// that is not symmetric.
absl::StatusOr<HopTable> ReadHopsFile(const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_HOPS_FILE_H_
