// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ORDERING_EXACT_SEARCH_H_
#define COOLSPAN_ORDERING_EXACT_SEARCH_H_

#include <chrono>
#include <vector>

#include "ordering/rank_problem.h"
#include "ordering/search_result.h"

namespace coolspan {

// The most ranks and sites the search takes.
inline constexpr Rank kMaxSearched = 64;

// Branch and bound over the ranks from the first to the last, from a known
// order. Ends at the given time with what it has.
//
// The bound of what is still to be placed is that of a relaxed problem, solved
// beforehand by dynamic programming (recent_sites.h). The cost that is searched
// for is raised in rounds to that of the best order; each round that finds
// nothing is a proved bound.
//
// REQUIRES problem.ranks() <= kMaxSearched; order: a whole one.
SearchResult SearchBestOrder(const RankProblem& problem,
                             std::vector<RankProblem::Site> order,
                             std::chrono::steady_clock::time_point end);

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_EXACT_SEARCH_H_
