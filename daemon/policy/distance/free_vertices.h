// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_DISTANCE_FREE_VERTICES_H_
#define COOLSPAN_POLICY_DISTANCE_FREE_VERTICES_H_

#include <vector>

#include "core/budget.h"
#include "core/topology.h"
#include "locality/compact_set.h"
#include "policy/place_demand.h"

namespace coolspan {

// The vertices with nodes that the choice may take.
VertexPool FreeVertices(const Topology& topology, const Choice& choice);

// The nodes of a choice of so many at each vertex of its pool: the required
// ones, then those with the smallest ids.
std::vector<NodeId> NodesAtVertices(const Topology& topology,
                                    const Choice& choice,
                                    const VertexPool& pool,
                                    const std::vector<NodeCount>& taken);

// So many nodes of the pool.
struct VertexSet {
  std::vector<NodeCount> taken;  // by place
  std::uint64_t total = 0;       // pairwise
};

// The nodes nearest to each of the free vertices (most_centres of them, spread
// evenly, where there are more), made more compact; of all the most compact.
// The first centre is tried whatever the budget.
VertexSet MostCompactAround(const Topology& topology, const VertexPool& pool,
                            NodeCount nodes, std::size_t max_centres,
                            Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_FREE_VERTICES_H_
