// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ORDERING_ASSIGNMENT_PROGRAMME_H_
#define COOLSPAN_ORDERING_ASSIGNMENT_PROGRAMME_H_

#include <vector>

#include "absl/status/statusor.h"
#include "ordering/rank_problem.h"
#include "ordering/search_result.h"

namespace coolspan {

// Maximum ranks, and ranks times sites, for which GLPK solves the programme in
// reasonable time: a 4x2 mesh in a second, a 3x3 mesh in half a minute. With
// more than 16 ranks some weights would be below its tolerances.
inline constexpr Rank kMaxProgrammeRanks = 16;
inline constexpr std::size_t kMaxAssignments = 64;

// Solves the problem as an integer programme, linearised after Kaufman and
// Broeckx (An algorithm for the quadratic assignment problem, 1978).
// x[s,r] = 1 if site s is at rank r; z[s,r]: the cost of that, or 0:
//   min 1/2 sum z[s,r]
//   sum over s of x[s,r] = 1          for each rank r
//   sum over r of x[s,r] = nodes of s for each site s
//   z[s,r] >= sum over t, q of w(|r-q|) hops(s,t) x[t,q] - high[s,r] (1-x[s,r])
//   z[s,r] >= low[s,r] x[s,r]
// low and high bound the cost of s at r by pairing sorted weights with sorted
// hops (Gilmore, 1962; Lawler, 1963). Symmetry breaking: on a line, where an
// order and its reverse cost the same, the mean rank of the first site is at
// most the middle; on a ring the first site is at rank 0.
//
// order: the order to start from. Errors: those of Solve.
absl::StatusOr<SearchResult> SolveAsProgramme(
    const RankProblem& problem, std::vector<RankProblem::Site> order,
    double seconds);

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_ASSIGNMENT_PROGRAMME_H_
