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

// The placement with the least peak inlet that was found (MPIT: minimise peak
// inlet temperature, joint-allocation-sst 4.1), and what is known of a lower
// one.
struct MpitSolution {
  GroupPlacement placement;
  double bound_c = 0;  // no placement has a lower peak
  // How far the bound may be below the least peak with nodes taken in part.
  double relaxation_gap_k = 0;
  std::string_view method = {};
  std::uint64_t rounds = 0;  // of the relaxation
  std::uint64_t swaps = 0;
  std::uint64_t subproblems = 0;    // parts, by branching
  std::vector<double> prices = {};  // by group

  double gap_k() const { return placement.peak_c() - bound_c; }
};

// Relaxes, rounds, swaps and, where the room is small, branches, until the gap
// is nothing to speak of or the budget ends. Adds the constraints that may
// become the warmest. column_sums: of the room's D, by zone.
// constraints.problem() must outlive the answer.
MpitSolution SolveMpit(InletConstraints& constraints,
                       std::span<const double> column_sums, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_MPIT_SOLVER_H_
