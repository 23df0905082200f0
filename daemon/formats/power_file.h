// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_POWER_FILE_H_
#define COOLSPAN_FORMATS_POWER_FILE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/machine.h"

namespace coolspan {

// What a node may draw where a file says it: more is a slip of the pen, and a
// room that no number holds.
constexpr double kMaxNodeWatts = 1e9;

// Reads what nodes draw: a line "NODE,WATTS" for each, plain or gzip, NODE a
// name, an id, or a hostlist of nodes that draw so much each; the first line
// may be a heading, # starts a comment. By NodeId, nothing for nodes that the
// file does not name.
// Errors: LineReader's; INVALID_ARGUMENT "file:line:column: ...": an unknown
// node, one twice, what is no number of watts from 0.
absl::StatusOr<std::vector<std::optional<double>>> ReadPowerFile(
    const std::string& path, const Machine& machine);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_POWER_FILE_H_
