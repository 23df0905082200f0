// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_OPTIMAL_CUT_SEARCH_H_
#define COOLSPAN_POLICY_OPTIMAL_CUT_SEARCH_H_

#include "core/budget.h"
#include "core/topology.h"
#include "policy/distance/free_vertices.h"
#include "policy/optimal/proof.h"

namespace coolspan {

// Branch and bound for meshes and tori. Every hop crosses a cut of the grid, so
// the total is the sum over cuts of n * (k - n), n of the k nodes being on one
// side: concave in the numbers n, which are linear in what is taken. A
// subproblem gives each n a range; over a range a chord is never above the
// concave term, and with chords in their places the best choice is the k
// vertices of least cost. Lines less steep than the chord through one end of
// the range, or steeper through the other, are bounds as well; which are best
// is found by subgradient steps. Ranges are split where the bound is furthest
// below what was chosen. (The slopes are those of the gradient directions of
// Bender et al., section 3.)
//
// start: an answer to do better than. REQUIRES a grid. Where the budget or the
// memory for open subproblems ends first, the answer is the best found, with
// the least bound of what is open.
Proof SearchCuts(const Topology& topology, const VertexPool& pool,
                 NodeCount nodes, VertexSet start, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_OPTIMAL_CUT_SEARCH_H_
