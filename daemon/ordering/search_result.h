// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ORDERING_SEARCH_RESULT_H_
#define COOLSPAN_ORDERING_SEARCH_RESULT_H_

#include <vector>

#include "ordering/rank_problem.h"

namespace coolspan {

// What is known of a problem's least cost. Proved where cost == bound.
struct SearchResult {
  std::vector<RankProblem::Site> order;  // the best known
  ScaledCost cost = 0;                   // its cost
  ScaledCost bound = 0;                  // none costs less
};

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_SEARCH_RESULT_H_
