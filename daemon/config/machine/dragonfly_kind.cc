// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "config/machine/kinds.h"
#include "config/options/relative_path.h"
#include "formats/file_error.h"
#include "formats/interconnect.h"
#include "topology/dragonfly.h"
#include "topology/graph.h"

namespace coolspan {
namespace {

using TopologyPart = MachineDescription::TopologyPart;

absl::StatusOr<NamedTopology> FromLinks(const TopologyPart& part,
                                        const std::string& file) {
  for (const Placed<std::int64_t>* size : {&part.groups, &part.routers}) {
    if (size->place.line == 0) continue;
    return ErrorAt(file, size->place,
                   "topology.groups and topology.routers: specified together "
                   "with topology.links (expected links alone)");
  }
  std::optional<NodeCount> nodes;
  if (part.nodes.place.line != 0) {
    nodes = static_cast<NodeCount>(part.nodes.value);
  }
  auto read = ReadInterconnect(ResolvePath(file, part.links.value), nodes);
  if (!read.ok()) {
    return ErrorOfNamedFile(file, part.links.place, "topology.links",
                            read.status());
  }
  auto graph = MakeGraph(std::move(read->plan), [&read](VertexId router) {
    return fmt::format("router {}", read->routers[router]);
  });
  if (!graph.ok()) {
    return ErrorAt(file, part.links.place, MessageOf(graph.status()));
  }
  return NamedTopology{*std::move(graph), std::nullopt, {}};
}

}  // namespace

absl::StatusOr<NamedTopology> MakeDragonflyKind(
    const MachineDescription& machine, const std::string& file) {
  const TopologyPart& part = machine.topology;
  if (!part.links.value.empty()) return FromLinks(part, file);
  for (const Placed<std::int64_t>* size :
       {&part.groups, &part.routers, &part.nodes}) {
    if (size->place.line != 0) continue;
    return ErrorAt(file, part.place,
                   "topology: incomplete dragonfly (expected groups, routers "
                   "and nodes, or links)");
  }
  auto dragonfly =
      MakeDragonfly({static_cast<std::uint64_t>(part.groups.value),
                     static_cast<std::uint64_t>(part.routers.value),
                     static_cast<std::uint64_t>(part.nodes.value)});
  if (!dragonfly.ok()) {
    return ErrorAt(file, part.groups.place, MessageOf(dragonfly.status()));
  }
  return NamedTopology{*std::move(dragonfly), std::nullopt, {}};
}

}  // namespace coolspan
