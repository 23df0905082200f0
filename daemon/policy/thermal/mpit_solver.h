// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_MPIT_SOLVER_H_
#define COOLSPAN_POLICY_THERMAL_MPIT_SOLVER_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/budget.h"
#include "policy/thermal/group_placement.h"
#include "policy/thermal/inlet_constraints.h"

namespace coolspan {

// The best placement found for MPIT (minimise peak inlet temperature,
// joint-allocation-sst, section 4.1, equation 14) and a lower bound of the
// peak.
struct MpitSolution {
  GroupPlacement placement;
  double bound_c = 0;  // lower bound of the peak inlet
  // Upper bound of how far bound_c is below the optimum of the relaxation.
  double relaxation_gap_k = 0;
  std::string_view method = {};
  std::uint64_t rounds = 0;  // of the relaxation
  std::uint64_t swaps = 0;
  std::uint64_t subproblems = 0;    // of branch and bound
  std::vector<double> prices = {};  // by group

  double gap_k() const { return placement.peak_c() - bound_c; }
};

// Solves the relaxation, rounds it, improves it by swaps and, if the problem is
// small, by branch and bound, until the gap is negligible or the budget ends.
// Adds constraints for the inlets that can become the warmest. column_sums: of
// D, by zone. constraints.problem() must outlive the solution.
MpitSolution SolveMpit(InletConstraints& constraints,
                       std::span<const double> column_sums, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_MPIT_SOLVER_H_
