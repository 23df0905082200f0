// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ORDERING_SEARCH_RESULT_H_
#define COOLSPAN_ORDERING_SEARCH_RESULT_H_

#include <vector>

#include "ordering/rank_problem.h"

namespace coolspan {

// Best known order and lower bound; optimal if cost == bound.
struct SearchResult {
  std::vector<RankProblem::Site> order;
  ScaledCost cost = 0;   // of order
  ScaledCost bound = 0;  // lower bound on the cost of all orders
};

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_SEARCH_RESULT_H_
