// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_MACHINE_TOPOLOGY_KINDS_H_
#define COOLSPAN_CONFIG_MACHINE_TOPOLOGY_KINDS_H_

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "config/machine/machine_options.h"
#include "core/topology.h"

namespace coolspan {

// A topology, and what its own file says of the nodes.
struct NamedTopology {
  std::shared_ptr<const Topology> topology;
  // In the topology's order, where it comes with names.
  std::optional<std::vector<std::string>> names;
  // What was taken another way than it is written, a line each.
  std::vector<std::string> warnings;
};

// One kind of network that a machine file may describe; a new one is one file
// and one line of the table.
struct TopologyKind {
  std::string_view name;
  // The options of the file that it reads; others are refused.
  std::array<std::string_view, 5> options;
  // file: path of the machine file, for messages and relative paths.
  absl::StatusOr<NamedTopology> (*make)(const MachineDescription& machine,
                                        const std::string& file);
};
std::span<const TopologyKind> TopologyKindTable();
std::vector<std::string_view> TopologyKindNames();

// What the machine's topology options describe.
// Errors: INVALID_ARGUMENT, "file:line:column: what is wrong".
absl::StatusOr<NamedTopology> MakeTopology(const MachineDescription& machine,
                                           const std::string& file);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_MACHINE_TOPOLOGY_KINDS_H_
