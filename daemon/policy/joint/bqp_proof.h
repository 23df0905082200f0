// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_JOINT_BQP_PROOF_H_
#define COOLSPAN_POLICY_JOINT_BQP_PROOF_H_

#include <cstddef>
#include <cstdint>

#include "core/budget.h"
#include "policy/joint/bqp_problem.h"
#include "policy/joint/bqp_search.h"

namespace coolspan {

// A bound below every choice's objective. A node costs at least what its site
// and its share of its zone cost, and half of its latencies to the nodes that
// are nearest to it, as many as there will be others; the bound is the sum for
// the nodes that cost least. Where there are too many sites to look at all
// pairs, the nearest nodes are those of a machine without a busy or missing
// node.
double LowerBound(const BqpProblem& problem, Budget& budget);

// Sites up to which ProveBqp searches.
inline constexpr std::size_t kMaxBqpSites = 64;

struct BqpProof {
  double lower_bound = 0;  // of every objective
  std::uint64_t subproblems = 0;
  bool proved = false;  // solution is a least one
};
// Branch and bound from what was found, which becomes better where there is
// better. Ends when the least objective is proved, after so many subproblems or
// with the budget, then with the bound of what was not searched. REQUIRES at
// most kMaxBqpSites.
BqpProof ProveBqp(const BqpProblem& problem, std::uint64_t max_subproblems,
                  BqpSolution& solution, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_JOINT_BQP_PROOF_H_
