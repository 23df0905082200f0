// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_PATTERN_FILE_H_
#define COOLSPAN_FORMATS_PATTERN_FILE_H_

#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/comm_pattern.h"

namespace coolspan {

// Reads a communication pattern, plain or gzip; # starts a comment. The file is
// opened once: it may be a pipe. The kind is detected by the first line with
// data:
// - MatrixMarket, by its header: row i, column j is what rank i - 1 sends to
//   rank j - 1.
// - An edge list, if the line has three words separated by blanks, or is
//   "ranks N" or "from to bytes": one line "FROM TO BYTES" per pair of ranks.
//   Ranks count from 0. Without "ranks N" the highest rank is the last one.
// - Else a dense matrix: one line per sender, one number per receiver,
//   separated by commas (the last one may be followed by one) or blanks.
// Errors: as LineReader; INVALID_ARGUMENT "file:line:column: ..." for a line of
// another form, a number of bytes that is not from 0 to CommPattern::kMaxBytes,
// a matrix that is not square, a pair specified more than once, and more ranks
// or pairs than CommPattern may have, before memory is used for them.
absl::StatusOr<std::shared_ptr<const CommPattern>> ReadPatternFile(
    const std::string& path);

// Writes an edge list that ReadPatternFile reads. comment: its first line.
void WritePattern(const CommPattern& pattern, std::string_view comment,
                  std::ostream& out);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_PATTERN_FILE_H_
