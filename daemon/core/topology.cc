// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/topology.h"

#include <cstddef>

namespace coolspan {

VertexId Grid::VertexCount() const {
  VertexId count = 1;
  for (const std::uint32_t extent : dims) count *= extent;
  return count;
}

std::vector<NodeCount> Grid::NodesOfVertices() const {
  std::vector<NodeCount> nodes(VertexCount(), nodes_per_vertex);
  for (const VertexId hole : holes) nodes[hole] = 0;
  for (const ShortVertex& item : short_vertices) {
    nodes[item.vertex] = item.nodes;
  }
  return nodes;
}

void Grid::CoordinatesOf(VertexId vertex, std::span<std::uint32_t> out) const {
  for (std::size_t d = 0; d < dims.size(); ++d) {
    out[d] = vertex % dims[d];
    vertex /= dims[d];
  }
}

VertexId Grid::VertexAt(std::span<const std::uint32_t> coordinates) const {
  VertexId vertex = 0;
  for (std::size_t d = dims.size(); d-- > 0;) {
    vertex = vertex * dims[d] + coordinates[d];
  }
  return vertex;
}

std::uint64_t Topology::PairwiseTotal(std::span<const NodeId> nodes) const {
  std::uint64_t total = 0;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) total += Distance(nodes[i], nodes[j]);
  }
  return total;
}

}  // namespace coolspan
