// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_OPTIMAL_CUT_SEARCH_H_
#define COOLSPAN_POLICY_OPTIMAL_CUT_SEARCH_H_

#include "core/budget.h"
#include "core/topology.h"
#include "policy/distance/free_vertices.h"
#include "policy/optimal/proof.h"

namespace coolspan {

// Branch and bound for meshes and tori. Each hop crosses one cut c of the grid,
// so with n_c of the k nodes on one side of the cut
//
//   total pairwise distance = sum_c w_c * n_c * (k - n_c)
//
// The terms are concave in n_c, and n_c is linear in the nodes taken. A
// subproblem restricts each n_c to a range. Within it, the chord of the term is
// a lower bound; so are a line through the low end that is less steep than the
// chord, and a line through the high end that is steeper. With lines in place
// of the terms, the k cheapest vertices are optimal; subgradient steps improve
// the slopes. Ranges are split where the bound differs most from the term. (The
// slopes correspond to the gradient directions of Bender et al., section 3.)
//
// start: the initial best answer. REQUIRES a grid. If the budget or the memory
// for open subproblems ends first, returns the best answer found and the lowest
// bound of the open subproblems.
Proof SearchCuts(const Topology& topology, const VertexPool& pool,
                 NodeCount nodes, VertexSet start, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_OPTIMAL_CUT_SEARCH_H_
