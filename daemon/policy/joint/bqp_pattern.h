// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_JOINT_BQP_PATTERN_H_
#define COOLSPAN_POLICY_JOINT_BQP_PATTERN_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "core/budget.h"
#include "core/comm_pattern.h"
#include "policy/joint/bqp_problem.h"

namespace coolspan {

// The nodes of a job whose communication pattern is known. The entries of H are
// weighed by the volumes (joint-bqp-task-mapping, section 4.3): with task t on
// node x_t,
//
//   Cost_comm = sum_{t != u} v_tu H(x_t, x_u) / (mean of v) / n
//
// where v_tu is the volume from task t to task u and a task is the ranks that
// share a node. With equal volumes this is equation 9; the weights alpha' and
// beta' are those of the unweighted problem. Starts with the nodes that
// minimise that, maps the ranks to them, and then, while the objective
// decreases, moves a task to a free node or swaps two tasks.
struct PatternNodes {
  std::vector<NodeId> nodes;  // unsorted
  std::uint64_t moves = 0;
  double objective = 0;  // with the weighed H
};
// chosen: the solution of the problem. Ranks that do not come out even on the
// nodes, and jobs of more than kMaxPatternNodes nodes, leave it as it is.
inline constexpr NodeCount kMaxPatternNodes = 256;
PatternNodes ImproveForPattern(
    const BqpProblem& problem,
    const std::shared_ptr<const CommPattern>& pattern,
    std::vector<NodeId> chosen, std::uint64_t seed, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_JOINT_BQP_PATTERN_H_
