// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_MACHINE_TOPOLOGY_KINDS_H_
#define COOLSPAN_CONFIG_MACHINE_TOPOLOGY_KINDS_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "config/machine/machine_options.h"
#include "core/topology.h"

namespace coolspan {

// A topology and what was read together with it.
struct NamedTopology {
  std::shared_ptr<const Topology> topology;
  // In the topology's order; unset unless its file names the nodes.
  std::optional<std::vector<std::string>> names;
  // As LoadMachineFile's.
  std::vector<std::string> warnings;
};

// The names of all kinds of network in a machine file.
std::vector<std::string_view> TopologyKindNames();

// The topology that the options of the machine file describe.
// Errors: INVALID_ARGUMENT, "file:line:column: what is wrong (expected ...)".
absl::StatusOr<NamedTopology> MakeTopology(const MachineDescription& machine,
                                           const std::string& file);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_MACHINE_TOPOLOGY_KINDS_H_
