// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_TOPOLOGY_KINDS_H_
#define COOLSPAN_CONFIG_TOPOLOGY_KINDS_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "config/machine_options.h"
#include "core/topology.h"

namespace coolspan {

// A topology, and the nodes' names in its order where the file's coordinates
// gave them.
struct NamedTopology {
  std::shared_ptr<const Topology> topology;
  std::optional<std::vector<std::string>> names;
};

// One kind of network that a machine file may describe; a new one is one file
// and one line of the table.
struct TopologyKind {
  std::string_view name;
  // file: path of the machine file, for messages and relative paths.
  absl::StatusOr<NamedTopology> (*make)(const MachineDescription& machine,
                                        const std::string& file);
};
std::span<const TopologyKind> TopologyKindTable();
std::vector<std::string_view> TopologyKindNames();

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_TOPOLOGY_KINDS_H_
