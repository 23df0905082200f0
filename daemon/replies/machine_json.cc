// SPDX-License-Identifier: GPL-3.0-or-later
#include "replies/machine_json.h"

#include <string>
#include <utility>
#include <vector>

#include "replies/stretches.h"

namespace coolspan {
namespace {

// The number of nodes at each vertex, in node order.
std::vector<NodeCount> NodesAtVertices(const Topology& topology) {
  std::vector<NodeCount> counts;
  for (VertexId vertex = 0; vertex < topology.vertex_count(); ++vertex) {
    counts.push_back(topology.NodesAt(vertex).count);
  }
  return counts;
}

Json GridData(const Grid& grid) {
  return {{"dims", grid.dims},
          {"wrap", grid.wrap},
          {"nodes_per_vertex", grid.nodes_per_vertex}};
}

Json RoomData(const Room& room) {
  return {{"supply_c", room.supply_c()},
          {"redline_c", room.redline_c()},
          {"zone_of", Stretches(room.description().zone_of)}};
}

// The number of vertices of a group: the routers of a dragonfly are numbered
// group by group, those of a group are linked to each other, and a router of
// another group is linked to one of them at most. 0: not a canonical dragonfly.
VertexId VerticesOfGroup(const Topology& topology) {
  if (topology.kind() != "dragonfly") return 0;
  const auto is_in_group = [&topology](VertexId vertex) {
    for (VertexId other = 0; other < vertex; ++other) {
      if (topology.VertexDistance(other, vertex) != 1) return false;
    }
    return true;
  };
  VertexId count = 1;
  while (count < topology.vertex_count() && is_in_group(count)) ++count;
  return count > 1 && topology.vertex_count() % count == 0 ? count : 0;
}

// {title, nodes} in node order; null: the topology has no groups.
Json GroupsData(const Topology& topology) {
  Json groups = Json::array();
  const auto add = [&groups](const char* title, NodeCount nodes) {
    groups.push_back(
        {{"title", title + std::to_string(groups.size())}, {"nodes", nodes}});
  };
  if (const Blocks* const blocks = topology.blocks()) {
    for (std::uint32_t i = 0; i < blocks->count(); ++i) {
      add("block ", blocks->first_node[i + 1] - blocks->first_node[i]);
    }
    return groups;
  }
  const VertexId each = VerticesOfGroup(topology);
  if (each == 0) return nullptr;
  for (VertexId first = 0; first < topology.vertex_count(); first += each) {
    NodeCount nodes = 0;
    for (VertexId i = 0; i < each; ++i) {
      nodes += topology.NodesAt(first + i).count;
    }
    add("group ", nodes);
  }
  return groups;
}

}  // namespace

Json MachineJson(const Machine& machine, NodeCount max_names) {
  const Topology& topology = machine.topology();
  Json data = {{"name", machine.name()},
               {"nodes", machine.node_count()},
               {"kind", std::string(topology.kind())},
               {"vertices", Stretches(NodesAtVertices(topology))},
               {"names", nullptr},
               {"grid", nullptr},
               {"groups", GroupsData(topology)},
               {"room", nullptr}};
  if (machine.node_count() <= max_names) {
    Json& names = data["names"] = Json::array();
    for (NodeId node = 0; node < machine.node_count(); ++node) {
      names.push_back(machine.NodeName(node));
    }
  }
  if (const Grid* grid = topology.grid()) data["grid"] = GridData(*grid);
  if (machine.room() != nullptr) data["room"] = RoomData(*machine.room());
  return data;
}

}  // namespace coolspan
