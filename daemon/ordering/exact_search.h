// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ORDERING_EXACT_SEARCH_H_
#define COOLSPAN_ORDERING_EXACT_SEARCH_H_

#include <chrono>
#include <vector>

#include "ordering/rank_problem.h"
#include "ordering/search_result.h"

namespace coolspan {

// Maximum ranks and sites.
inline constexpr Rank kMaxSearched = 64;

// Branch and bound over the ranks from first to last, starting from a known
// order. At `end`, returns the best result so far.
//
// Lower bounds for the remaining ranks come from a relaxed problem, solved in
// advance by dynamic programming (recent_sites.h). The search runs in rounds
// with rising cost limits up to the cost of the best order; a completed round
// that finds nothing proves its limit as a lower bound.
//
// REQUIRES problem.ranks() <= kMaxSearched; order is complete.
SearchResult SearchBestOrder(const RankProblem& problem,
                             std::vector<RankProblem::Site> order,
                             std::chrono::steady_clock::time_point end);

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_EXACT_SEARCH_H_
