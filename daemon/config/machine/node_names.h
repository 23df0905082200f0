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

// The names that the option nodes lists, each once.
// Errors: INVALID_ARGUMENT, "file:line:column: ...": no such option, no
// hostlist, more than max_names, a name twice.
absl::StatusOr<std::vector<std::string>> ReadNodeNames(
    const MachineDescription& machine, const std::string& file,
    std::size_t max_names);

// The machine's names in the topology's order: those it comes with, or those of
// the option nodes. Where there are both they have to be the same names, in any
// order.
// Errors: also another number of names than the topology has nodes.
absl::StatusOr<std::vector<std::string>> NamesFor(
    const MachineDescription& machine, NamedTopology& topology,
    const std::string& file);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_MACHINE_NODE_NAMES_H_
