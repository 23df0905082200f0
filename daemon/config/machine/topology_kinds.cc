// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/machine/topology_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "absl/status/status.h"
#include "config/machine/kinds.h"
#include "config/options/relative_path.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

using M = MachineDescription;

// An option of the machine file that a kind reads.
struct KindOption {
  std::string_view name;
  Place (*place)(const M& machine);
};
constexpr KindOption kMeshOptions[] = {
    {"topology.dims", [](const M& m) { return m.topology.dims.place; }},
    {"topology.wrap", [](const M& m) { return m.topology.wrap.place; }},
    {"topology.nodes_per_vertex",
     [](const M& m) { return m.topology.nodes_per_vertex.place; }},
    {"topology.holes", [](const M& m) { return m.topology.holes.place; }},
    {"coordinates", [](const M& m) { return m.coordinates.place; }},
};
constexpr KindOption kFatTreeOptions[] = {
    {"topology.slurm_topology",
     [](const M& m) { return m.topology.slurm_topology.place; }},
    {"topology.slurm_topology_name",
     [](const M& m) { return m.topology.slurm_topology_name.place; }},
};
constexpr KindOption kBlocksOptions[] = {
    {"topology.slurm_topology",
     [](const M& m) { return m.topology.slurm_topology.place; }},
    {"topology.slurm_topology_name",
     [](const M& m) { return m.topology.slurm_topology_name.place; }},
    {"topology.spare_nodes",
     [](const M& m) { return m.topology.spare_nodes.place; }},
};
constexpr KindOption kDragonflyOptions[] = {
    {"topology.groups", [](const M& m) { return m.topology.groups.place; }},
    {"topology.routers", [](const M& m) { return m.topology.routers.place; }},
    {"topology.nodes", [](const M& m) { return m.topology.nodes.place; }},
    {"topology.links", [](const M& m) { return m.topology.links.place; }},
};
constexpr KindOption kGraphOptions[] = {
    {"topology.edges", [](const M& m) { return m.topology.edges.place; }},
};
constexpr KindOption kHopsOptions[] = {
    {"topology.matrix", [](const M& m) { return m.topology.matrix.place; }},
};

struct TopologyKind {
  std::string_view name;
  std::span<const KindOption> options;  // options of other kinds are rejected
  // file: path of the machine file, for messages and relative paths.
  absl::StatusOr<NamedTopology> (*make)(const M& machine,
                                        const std::string& file);
};
constexpr TopologyKind kTable[] = {
    {"mesh", kMeshOptions, MakeMeshKind},
    {"fat-tree", kFatTreeOptions, MakeFatTreeKind},
    {"blocks", kBlocksOptions, MakeBlocksKind},
    {"dragonfly", kDragonflyOptions, MakeDragonflyKind},
    {"graph", kGraphOptions, MakeGraphKind},
    {"hops", kHopsOptions, MakeHopsKind},
};

std::vector<std::string_view> OptionNames(const TopologyKind& kind) {
  std::vector<std::string_view> names;
  for (const KindOption& option : kind.options) names.push_back(option.name);
  return names;
}

// Rejects options of other kinds.
absl::Status CheckOptions(const M& machine, const TopologyKind& kind,
                          const std::string& file) {
  const std::vector<std::string_view> known = OptionNames(kind);
  for (const TopologyKind& other : kTable) {
    for (const KindOption& option : other.options) {
      const Place place = option.place(machine);
      if (place.line == 0 ||
          std::find(known.begin(), known.end(), option.name) != known.end()) {
        continue;
      }
      return ErrorAt(
          file, place,
          fmt::format("{}: not an option of kind {} (expected one "
                      "of {})",
                      option.name, kind.name, fmt::join(known, ", ")));
    }
  }
  return absl::OkStatus();
}

}  // namespace

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
