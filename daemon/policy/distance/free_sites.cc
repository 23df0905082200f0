// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/distance/free_sites.h"

#include <algorithm>

namespace coolspan {

FreeSites::FreeSites(const Topology& topology, const Choice& choice)
    : capacity(topology.vertex_count(), 0),
      wanted(choice.nodes - choice.required_count) {
  choice.available.ForEach(
      [&](NodeId node) { ++capacity[topology.VertexOf(node)]; });
  if (choice.required_count > 0) {
    choice.required.ForEach([&](NodeId node) {
      const VertexId vertex = topology.VertexOf(node);
      --capacity[vertex];
      if (required.empty() || required.back().vertex != vertex) {
        required.push_back({vertex, 0});
      }
      ++required.back().count;
    });
  }
  has_free.reserve(capacity.size());
  for (const NodeCount nodes : capacity) {
    has_free.push_back(nodes > 0 ? 1 : 0);
    max_at_a_vertex = std::max(max_at_a_vertex, nodes);
    free_count += nodes;
  }
}

std::vector<NodeId> NodesOf(const Topology& topology, const Choice& choice,
                            const std::vector<VertexNodes>& chosen) {
  std::vector<NodeId> nodes = choice.required.Members();
  nodes.reserve(choice.nodes);
  for (const VertexNodes& site : chosen) {
    const Topology::NodeRange range = topology.NodesAt(site.vertex);
    NodeCount missing = site.count;
    for (NodeId node = range.first; missing > 0; ++node) {
      if (!choice.available.Contains(node) ||
          (choice.required_count > 0 && choice.required.Contains(node))) {
        continue;
      }
      nodes.push_back(node);
      --missing;
    }
  }
  return nodes;
}

}  // namespace coolspan
