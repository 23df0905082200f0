// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ORDERING_ASSIGNMENT_PROGRAMME_H_
#define COOLSPAN_ORDERING_ASSIGNMENT_PROGRAMME_H_

#include <vector>

#include "absl/status/statusor.h"
#include "ordering/rank_problem.h"
#include "ordering/search_result.h"

namespace coolspan {

// The programme's ranks, and ranks times sites, that GLPK solves in seconds:
// a mesh of 4x2 in one, one of 3x3 in half a minute. More than 16 ranks would
// have weights below its tolerances.
inline constexpr Rank kMaxProgrammeRanks = 16;
inline constexpr std::size_t kMaxAssignments = 64;

// Solves the problem as an integer programme, linear after Kaufman and Broeckx
// (An algorithm for the quadratic assignment problem, 1978): x[s,r] says that
// site s is at rank r; z[s,r] is what that costs, or 0 where it is not so:
//   min 1/2 sum z[s,r]
//   sum over s of x[s,r] = 1          for each rank r
//   sum over r of x[s,r] = nodes of s for each site s
//   z[s,r] >= sum over t, q of w(|r-q|) hops(s,t) x[t,q] - most[s,r] (1-x[s,r])
//   z[s,r] >= least[s,r] x[s,r]
// with least and most from pairing weights and hops sorted (Gilmore, 1962;
// Lawler, 1963). An order and its reverse cost the same, so on a line the first
// site comes no later than the middle on average; on a ring it is at rank 0.
//
// order: one to start from. Errors: Solve's.
absl::StatusOr<SearchResult> SolveAsProgramme(
    const RankProblem& problem, std::vector<RankProblem::Site> order,
    double seconds);

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_ASSIGNMENT_PROGRAMME_H_
