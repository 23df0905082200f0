// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_LP_RELAXATION_H_
#define COOLSPAN_POLICY_THERMAL_LP_RELAXATION_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/budget.h"
#include "policy/thermal/inlet_constraints.h"

namespace coolspan {

// The least peak inlet when nodes may be chosen in part
// (joint-allocation-sst, equations 14 and 15, with 0 <= x_i <= 1).
struct LpRelaxation {
  Prices prices;              // those with the highest bound
  std::vector<double> nodes;  // by group, in part; they add up to the wanted
  std::vector<double>
      weights;        // of the constraints, behind the prices; or none
  double peak_c = 0;  // of nodes; at least prices.bound_c
  std::string_view method = "lp";
  std::uint64_t rounds = 0;
};

// Solves it to within tolerance_k: peak_c - bound_c. A linear programme over
// the inlets that bind, which are few, and the groups whose part is in doubt;
// both are added as they are needed. Where there are too many of them, a
// first-order method goes on. When the budget ends, what there is.
// REQUIRES wanted > 0. Adds constraints.
LpRelaxation SolveRelaxation(InletConstraints& constraints, double tolerance_k,
                             Budget& budget);

// The first-order method alone: Frank and Wolfe's on a peak that is rounded
// off, less from step to step. Needs no constraints.
void LowerPeakByFrankWolfe(const InletConstraints& constraints,
                           double tolerance_k, Budget& budget,
                           LpRelaxation& relaxation);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_LP_RELAXATION_H_
