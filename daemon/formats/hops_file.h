// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_HOPS_FILE_H_
#define COOLSPAN_FORMATS_HOPS_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "topology/hop_table.h"

namespace coolspan {

// Reads a matrix of hops, plain text or gzip: a line for each row, as many
// integers in each as there are rows, cut at blanks or commas; # starts a
// comment.
// Errors: LineReader's; INVALID_ARGUMENT "file:line:column: ..." for what is no
// number from 0 to kMaxTableHops, rows of another length, more than
// kMaxTableVertices, a diagonal that is not zero, two directions that differ.
absl::StatusOr<HopTable> ReadHopsFile(const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_HOPS_FILE_H_
