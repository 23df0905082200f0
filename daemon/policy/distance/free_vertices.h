// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_DISTANCE_FREE_VERTICES_H_
#define COOLSPAN_POLICY_DISTANCE_FREE_VERTICES_H_

#include <vector>

#include "core/budget.h"
#include "core/topology.h"
#include "locality/compact_set.h"
#include "policy/place_demand.h"

namespace coolspan {

// The vertices that have available nodes of the choice.
VertexPool FreeVertices(const Topology& topology, const Choice& choice);

// The nodes of an answer that takes taken[i] nodes of the pool's i-th vertex:
// the required ones, then those with the smallest ids.
std::vector<NodeId> NodesAtVertices(const Topology& topology,
                                    const Choice& choice,
                                    const VertexPool& pool,
                                    const std::vector<NodeCount>& taken);

// A number of nodes of each vertex of a pool.
struct VertexSet {
  std::vector<NodeCount> taken;  // by index in the pool
  std::uint64_t total = 0;       // pairwise hop distance
};

// For each vertex of the pool as a centre (at most max_centres of them, evenly
// spread), takes the `nodes` nearest nodes and improves the set by exchanges.
// Returns the set with the minimum total pairwise distance. The first centre is
// tried whatever the budget.
VertexSet MostCompactAround(const Topology& topology, const VertexPool& pool,
                            NodeCount nodes, std::size_t max_centres,
                            Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_FREE_VERTICES_H_
