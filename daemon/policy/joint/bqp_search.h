// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_JOINT_BQP_SEARCH_H_
#define COOLSPAN_POLICY_JOINT_BQP_SEARCH_H_

#include <cstdint>
#include <vector>

#include "core/budget.h"
#include "policy/joint/bqp_problem.h"

namespace coolspan {

// A good choice for a BqpProblem.
struct BqpSolution {
  std::vector<BqpTaken> taken;  // ascending by site
  double objective = 0;
  std::uint64_t starts = 0;
  std::uint64_t steps = 0;  // choices taken instead of a worse one
};

// Local search from many starts: the coolest nodes, and for many places what
// costs least if all nodes were there. A start goes on to the nodes that cost
// least beside the ones it has until that is no better; hop distances of grids
// and trees are concave along such steps (they are of negative type), so each
// is no worse. The best few are improved by swaps of one node, the best swap
// each time, until there is none.
//
// The first start is finished whatever the budget. REQUIRES nodes_to_choose > 0
// and no more than there are nodes.
BqpSolution SearchBqp(const BqpProblem& problem, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_JOINT_BQP_SEARCH_H_
