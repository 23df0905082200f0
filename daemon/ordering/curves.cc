// SPDX-License-Identifier: GPL-3.0-or-later
#include "ordering/curves.h"

namespace coolspan {

std::vector<NodeId> NodesOfVertices(const Topology& topology,
                                    std::span<const VertexId> vertices) {
  std::vector<NodeId> nodes;
  nodes.reserve(topology.node_count());
  for (const VertexId vertex : vertices) {
    const Topology::NodeRange range = topology.NodesAt(vertex);
    for (NodeCount i = 0; i < range.count; ++i) {
      nodes.push_back(range.first + i);
    }
  }
  return nodes;
}

}  // namespace coolspan
