// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_OPTIMAL_PAIR_SEARCH_H_
#define COOLSPAN_POLICY_OPTIMAL_PAIR_SEARCH_H_

#include "core/budget.h"
#include "core/topology.h"
#include "policy/distance/free_vertices.h"
#include "policy/optimal/proof.h"

namespace coolspan {

// Sizes up to which SearchPairs searches; above it answers the start.
inline constexpr std::size_t kMaxPairVertices = 2048;
inline constexpr NodeCount kMaxPairNodes = 512;

// Branch and bound for any hop distance. A subproblem has nodes that are taken
// and vertices that are still open; a node more has at least its distances to
// what is taken, and half of those to the nearest nodes that are open, as many
// as there will be others. The open node that costs least is taken, then left
// out, with the vertices that are like it: distances to all others are equal.
//
// start: an answer to do better than. Where the budget ends first, the answer
// is the best found, with the bound of what was not searched.
Proof SearchPairs(const Topology& topology, const VertexPool& pool,
                  NodeCount nodes, VertexSet start, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_OPTIMAL_PAIR_SEARCH_H_
