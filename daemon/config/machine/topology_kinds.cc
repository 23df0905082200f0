// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/machine/topology_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "config/machine/kinds.h"
#include "config/options/relative_path.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

constexpr TopologyKind kTable[] = {
    {"mesh",
     {"topology.dims", "topology.wrap", "topology.nodes_per_vertex",
      "topology.holes", "coordinates"},
     MakeMeshKind},
    {"fat-tree", {"topology.slurm_topology"}, MakeFatTreeKind},
    {"dragonfly",
     {"topology.groups", "topology.routers", "topology.nodes",
      "topology.links"},
     MakeDragonflyKind},
    {"graph", {"topology.edges"}, MakeGraphKind},
    {"hops", {"topology.matrix"}, MakeHopsKind},
};

// Rejects options of other kinds.
absl::Status CheckOptions(const MachineDescription& machine,
                          const TopologyKind& kind, const std::string& file) {
  const MachineDescription::TopologyPart& part = machine.topology;
  const std::pair<std::string_view, Place> options[] = {
      {"topology.dims", part.dims.place},
      {"topology.wrap", part.wrap.place},
      {"topology.nodes_per_vertex", part.nodes_per_vertex.place},
      {"topology.holes", part.holes.place},
      {"coordinates", machine.coordinates.place},
      {"topology.slurm_topology", part.slurm_topology.place},
      {"topology.groups", part.groups.place},
      {"topology.routers", part.routers.place},
      {"topology.nodes", part.nodes.place},
      {"topology.links", part.links.place},
      {"topology.edges", part.edges.place},
      {"topology.matrix", part.matrix.place},
  };
  for (const auto& [name, place] : options) {
    if (place.line == 0 || std::find(kind.options.begin(), kind.options.end(),
                                     name) != kind.options.end()) {
      continue;
    }
    const auto end = std::find(kind.options.begin(), kind.options.end(), "");
    return ErrorAt(file, place,
                   fmt::format("{}: not an option of kind {} (expected one of "
                               "{})",
                               name, kind.name,
                               fmt::join(kind.options.begin(), end, ", ")));
  }
  return absl::OkStatus();
}

}  // namespace

std::span<const TopologyKind> TopologyKindTable() { return kTable; }

std::vector<std::string_view> TopologyKindNames() {
  std::vector<std::string_view> names;
  for (const TopologyKind& kind : kTable) names.push_back(kind.name);
  return names;
}

absl::StatusOr<NamedTopology> MakeTopology(const MachineDescription& machine,
                                           const std::string& file) {
  for (const TopologyKind& kind : kTable) {
    if (kind.name != machine.topology.kind.value) continue;
    const absl::Status status = CheckOptions(machine, kind, file);
    if (!status.ok()) return status;
    return kind.make(machine, file);
  }
  return ErrorAt(file, machine.topology.kind.place,
                 "topology.kind: unknown kind");
}

absl::StatusOr<std::string> RequiredPath(const MachineDescription& machine,
                                         const std::string& file,
                                         const Placed<std::string>& path,
                                         std::string_view option,
                                         std::string_view content) {
  if (!path.value.empty()) return ResolvePath(file, path.value);
  return ErrorAt(
      file, machine.topology.place,
      fmt::format("{}: missing (expected the path of {})", option, content));
}

absl::Status ErrorOfNamedFile(const std::string& file, Place place,
                              std::string_view option,
                              const absl::Status& status) {
  if (!absl::IsNotFound(status)) return status;
  return ErrorAt(file, place, fmt::format("{}: {}", option, MessageOf(status)));
}

}  // namespace coolspan
