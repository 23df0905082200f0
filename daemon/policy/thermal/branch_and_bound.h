// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_BRANCH_AND_BOUND_H_
#define COOLSPAN_POLICY_THERMAL_BRANCH_AND_BOUND_H_

#include <cstdint>
#include <span>

#include "core/budget.h"
#include "policy/thermal/group_placement.h"
#include "policy/thermal/inlet_constraints.h"

namespace coolspan {

// Looks through all placements, depth first, groups whose price leaves least
// distance first. A part is cut off where a weighted mean of inlets, or one of
// them, shows that it holds nothing lower than the best less tolerance_k: each
// such mean is least when its own cheapest nodes are taken. Best becomes what
// is found. Adds constraints.
struct BranchResult {
  bool finished = false;  // nothing is lower than best less tolerance_k
  std::uint64_t subproblems = 0;
};
// weights, prices: of a relaxation. most: parts to look at.
BranchResult ImproveByBranching(InletConstraints& constraints,
                                std::span<const double> weights,
                                const Prices& prices, double tolerance_k,
                                std::uint64_t max_subproblems, Budget& budget,
                                GroupPlacement& best);

// Whether its tables are small enough to be worth it.
bool CanBranch(const ThermalProblem& problem);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_BRANCH_AND_BOUND_H_
