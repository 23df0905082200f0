// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_POWER_FILE_H_
#define COOLSPAN_FORMATS_POWER_FILE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/machine.h"

namespace coolspan {

// The maximum power of a node in a file: above any real node, and small enough
// for the sums over a room.
constexpr double kMaxNodeWatts = 1e9;

// Reads the power of nodes, plain text or gzip: lines "NODE,WATTS", NODE being
// a name, an id, or a hostlist of nodes that draw WATTS each; the first line
// may be a header, # starts a comment. A file without lines is valid. Returns
// watts by NodeId, unset for nodes that are not in the file. Errors: as
// LineReader; INVALID_ARGUMENT "file:line:column: ..." for an unknown node, a
// node specified more than once, and watts not from 0 to kMaxNodeWatts.
absl::StatusOr<std::vector<std::optional<double>>> ReadPowerFile(
    const std::string& path, const Machine& machine);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_POWER_FILE_H_
