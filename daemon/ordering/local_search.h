// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ORDERING_LOCAL_SEARCH_H_
#define COOLSPAN_ORDERING_LOCAL_SEARCH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/topology.h"
#include "core/types.h"

namespace coolspan {

struct LocalSearchOptions {
  bool ring = false;  // lower locality_cost_ring instead of locality_cost
  // Work limit in distances looked up, about 100 million a second.
  std::uint64_t distances = 0;
};

// Lowers the locality cost (ordering_cost.h) of an ordering. Reverses, moves
// and exchanges runs of ranks that bring a vertex next to one of its
// neighbours, until no such change helps or the work limit is reached; on up to
// 4,096 nodes it then continues from random changes up to the limit. Never
// raises the cost.
//
// vertices: the vertex at each rank; every vertex as often as it has nodes, at
// consecutive ranks. The result has the same form. Deterministic, thread-safe.
std::vector<VertexId> ImproveLocality(const Topology& topology,
                                      std::vector<VertexId> vertices,
                                      const LocalSearchOptions& options);

// Conversion between nodes and vertices in rank order. The nodes of a vertex
// get its ranks in ascending order.
std::vector<VertexId> VerticesAtRanks(const Topology& topology,
                                      std::span<const NodeId> nodes);
std::vector<NodeId> NodesAtRanks(const Topology& topology,
                                 std::span<const VertexId> vertices);

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_LOCAL_SEARCH_H_
