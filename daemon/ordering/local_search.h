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
  // Work, in distances looked up: some 100 million a second.
  std::uint64_t distances = 0;
};

// Lowers the locality cost (locality.h) of an ordering by reversing, moving and
// exchanging runs of ranks until no such change that brings a vertex beside a
// neighbour of it helps, or the work is used up; on up to 4,096 nodes it then
// goes on from random changes to the end of the work. Never raises the cost.
//
// vertices: the vertex at each rank, every vertex as often as it has nodes, all
// nodes of a vertex in a row; so they are in the answer.
// Deterministic; thread-safe.
std::vector<VertexId> ImproveLocality(const Topology& topology,
                                      std::vector<VertexId> vertices,
                                      const LocalSearchOptions& options);

// The vertex at each rank, and back: the nodes of a vertex take its ranks in
// ascending order.
std::vector<VertexId> VerticesAtRanks(const Topology& topology,
                                      std::span<const NodeId> nodes);
std::vector<NodeId> NodesAtRanks(const Topology& topology,
                                 std::span<const VertexId> vertices);

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_LOCAL_SEARCH_H_
