// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_BRANCH_AND_BOUND_H_
#define COOLSPAN_POLICY_THERMAL_BRANCH_AND_BOUND_H_

#include <cstdint>
#include <span>

#include "core/budget.h"
#include "policy/thermal/group_placement.h"
#include "policy/thermal/inlet_constraints.h"

namespace coolspan {

struct BranchResult {
  bool finished = false;  // proved: no peak is below best - tolerance_k
  std::uint64_t subproblems = 0;
};
// Depth-first branch and bound over the number of nodes of each group, starting
// with the groups whose price differs most from the threshold. A subproblem is
// pruned if a weighted mean of inlets, or one inlet, cannot fall below
// best.peak_c() - tolerance_k.
//
// weights, prices: from the relaxation. best: the start; replaced by each
// better placement. Adds a constraint for each new peak inlet. Ends after
// max_subproblems or with the budget.
BranchResult ImproveByBranching(InletConstraints& constraints,
                                std::span<const double> weights,
                                const Prices& prices, double tolerance_k,
                                std::uint64_t max_subproblems, Budget& budget,
                                GroupPlacement& best);

// Whether the problem is small enough for ImproveByBranching.
bool CanBranch(const ThermalProblem& problem);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_BRANCH_AND_BOUND_H_
