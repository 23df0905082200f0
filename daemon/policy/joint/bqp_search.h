// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_JOINT_BQP_SEARCH_H_
#define COOLSPAN_POLICY_JOINT_BQP_SEARCH_H_

#include <cstdint>
#include <vector>

#include "core/budget.h"
#include "policy/joint/bqp_problem.h"

namespace coolspan {

// The best choice found for a BqpProblem.
struct BqpSolution {
  std::vector<BqpTaken> taken;  // ascending by site
  double objective = 0;
  std::uint64_t starts = 0;
  std::uint64_t steps = 0;  // improvements made
};

// Local search from several starts: the cheapest nodes without pairs, and for
// sampled places the cheapest nodes if all nodes were at that place. The best
// starts repeatedly change to the nodes that are cheapest relative to the
// present choice, as long as that improves the objective. (Hop distances of
// grids and trees are of negative type, so the objective is concave along such
// a step and no step makes it worse.) Then single nodes are swapped, the best
// swap each time, to a local optimum.
//
// The first start is evaluated whatever the budget. REQUIRES 0 <
// nodes_to_choose
// <= number of nodes of the sites.
BqpSolution SearchBqp(const BqpProblem& problem, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_JOINT_BQP_SEARCH_H_
