// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_JOINT_BQP_PROOF_H_
#define COOLSPAN_POLICY_JOINT_BQP_PROOF_H_

#include <cstddef>
#include <cstdint>

#include "core/budget.h"
#include "policy/joint/bqp_problem.h"
#include "policy/joint/bqp_search.h"

namespace coolspan {

// A lower bound of the objective of every choice of m nodes: the objective of
// the required nodes alone, plus the sum over the m nodes a with the lowest
//
//   site cost + share of the zone cost
//     + pair_weight * (sum of H to required nodes
//                      + 1/2 sum of the m - 1 smallest H_ab)
//
// With too many sites to compare all pairs, the m - 1 smallest latencies are
// those of a machine without busy or missing nodes.
double LowerBound(const BqpProblem& problem, Budget& budget);

// The maximum number of sites for ProveBqp.
inline constexpr std::size_t kMaxBqpSites = 64;

struct BqpProof {
  double lower_bound = 0;  // of every objective
  std::uint64_t subproblems = 0;
  bool proved = false;  // the solution is optimal
};
// Branch and bound, starting from solution, which is replaced by each better
// one. Ends when the optimum is proved, after max_subproblems or with the
// budget; then lower_bound also covers the unexplored subproblems. REQUIRES at
// most kMaxBqpSites sites.
BqpProof ProveBqp(const BqpProblem& problem, std::uint64_t max_subproblems,
                  BqpSolution& solution, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_JOINT_BQP_PROOF_H_
