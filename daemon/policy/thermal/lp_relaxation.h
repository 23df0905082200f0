// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_LP_RELAXATION_H_
#define COOLSPAN_POLICY_THERMAL_LP_RELAXATION_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/budget.h"
#include "policy/thermal/inlet_constraints.h"

namespace coolspan {

// A solution of the relaxation of MPIT (joint-allocation-sst, equations 14 and
// 15, with 0 <= x_i <= 1 in place of x_i in {0, 1}):
//
//   minimise max_i T_i(x)  subject to  sum_i x_i = n
struct LpRelaxation {
  Prices prices;              // with the highest bound_c
  std::vector<double> nodes;  // by group, fractional; sum n
  // Of prices, by constraint; empty if they are of all inlets.
  std::vector<double> weights;
  double peak_c = 0;  // of nodes; >= prices.bound_c
  std::string_view method = "lp";
  std::uint64_t rounds = 0;
};

// Solves the relaxation until peak_c - bound_c <= tolerance_k, by a linear
// program with row and column generation: few inlets bind and few groups are
// fractional. If the program becomes too large, LowerPeakByFrankWolfe
// continues. When the budget ends, returns the best solution so far. Adds
// constraints. REQUIRES nodes_to_choose() > 0.
LpRelaxation SolveRelaxation(InletConstraints& constraints, double tolerance_k,
                             Budget& budget);

// Improves relaxation by the Frank-Wolfe method on a smoothed peak,
//
//   mu * ln(sum_i exp(T_i(x) / mu))
//
// where mu decreases with the gap. Its gradient prices the nodes with the
// weights
//
//   lambda_i = exp(T_i / mu) / sum_j exp(T_j / mu)
//
// and x moves towards the cheapest nodes. Uses all inlets, so constraints may
// be empty.
void LowerPeakByFrankWolfe(const InletConstraints& constraints,
                           double tolerance_k, Budget& budget,
                           LpRelaxation& relaxation);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_LP_RELAXATION_H_
