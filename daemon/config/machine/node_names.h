// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_MACHINE_NODE_NAMES_H_
#define COOLSPAN_CONFIG_MACHINE_NODE_NAMES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "config/machine/machine_options.h"
#include "config/machine/topology_kinds.h"

namespace coolspan {

// The names in the option nodes, all distinct.
// Errors: INVALID_ARGUMENT, "file:line:column: ...": option missing, invalid
// hostlist, more than max_names, a name specified more than once.
absl::StatusOr<std::vector<std::string>> ReadNodeNames(
    const MachineDescription& machine, const std::string& file,
    std::size_t max_names);

// The machine's names in the topology's order: from the topology's own file or
// from the option nodes. If both exist, they must be the same names, in any
// order.
// Errors: as ReadNodeNames; also a number of names other than the topology's
// number of nodes.
absl::StatusOr<std::vector<std::string>> NamesFor(
    const MachineDescription& machine, NamedTopology& topology,
    const std::string& file);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_MACHINE_NODE_NAMES_H_
