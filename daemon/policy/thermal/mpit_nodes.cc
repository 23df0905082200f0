// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/thermal/mpit_nodes.h"

#include "policy/thermal/inlet_constraints.h"
#include "policy/thermal/mpit_solver.h"
#include "policy/thermal/thermal_problem.h"

namespace coolspan {

std::vector<NodeId> MpitNodes(const RoomView& room, const Choice& choice,
                              double communication_share,
                              std::span<const double> column_sums, double share,
                              Budget& budget) {
  const ThermalProblem problem(room, choice, communication_share);
  InletConstraints constraints(problem);
  Budget part = budget.Part(share);
  const MpitSolution mpit = SolveMpit(constraints, column_sums, part);
  budget.Take(part);
  return problem.NodesOf(mpit.placement.counts());
}

}  // namespace coolspan
