// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_OPTIMAL_PAIR_SEARCH_H_
#define COOLSPAN_POLICY_OPTIMAL_PAIR_SEARCH_H_

#include "core/budget.h"
#include "core/topology.h"
#include "policy/distance/free_vertices.h"
#include "policy/optimal/proof.h"

namespace coolspan {

// Size limits of SearchPairs; above them it returns the start.
inline constexpr std::size_t kMaxPairVertices = 2048;
inline constexpr NodeCount kMaxPairNodes = 512;

// Branch and bound for any hop distance d. A subproblem has a set S of nodes
// taken and a set of open vertices. With m nodes still to take, the bound adds
// to the total of S the m lowest values of
//
//   sum_{s in S} d(v, s) + 1/2 sum of the m - 1 smallest d(v, u), u open
//
// over open nodes v. Branches on the open node with the lowest value: it is
// taken, then left out together with its equivalent vertices, which have equal
// distances to all others.
//
// start: the initial best answer. If the budget ends first, returns the best
// answer found and a lower bound of the unexplored part.
Proof SearchPairs(const Topology& topology, const VertexPool& pool,
                  NodeCount nodes, VertexSet start, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_OPTIMAL_PAIR_SEARCH_H_
