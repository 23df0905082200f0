// SPDX-License-Identifier: GPL-3.0-or-later
#include <memory>
#include <vector>

#include "policy/policies.h"
#include "policy/thermal/inlet_constraints.h"
#include "policy/thermal/mpit_solver.h"
#include "policy/thermal/recirculation_sums.h"
#include "policy/thermal/thermal_policy.h"
#include "policy/thermal/thermal_problem.h"

namespace coolspan {
namespace {

// Minimise peak inlet temperature (Tang et al.; joint-allocation-sst,
// section 4.1, equation 14): minimise max_i T_in,i subject to sum_i x_i = n.
class Mpit final : public ThermalPolicy {
 public:
  explicit Mpit(const Room& room) : column_sums_(RecirculationSums(room)) {}

  std::string_view name() const override { return "mpit"; }

 private:
  std::vector<NodeId> ChooseNodes(const Decision& decision,
                                  Trace& trace) const override {
    const ThermalProblem problem(decision.room, decision.choice,
                                 decision.communication_share);
    InletConstraints constraints(problem);
    const MpitSolution solution =
        SolveMpit(constraints, column_sums_, decision.budget);
    trace.Note("relaxation", solution.method);
    trace.Note("rounds", static_cast<std::int64_t>(solution.rounds));
    trace.Note("swaps", static_cast<std::int64_t>(solution.swaps));
    trace.Note("subproblems", static_cast<std::int64_t>(solution.subproblems));
    trace.Note("bound_c", solution.bound_c);
    trace.Note("relaxation_gap_k", solution.relaxation_gap_k);
    trace.Note("peak_inlet_c", solution.placement.peak_c());
    trace.Note("gap_k", solution.gap_k());
    return problem.NodesOf(solution.placement.counts());
  }

  std::vector<double> column_sums_;
};

}  // namespace

std::unique_ptr<Policy> MakeMpit(const std::shared_ptr<const Machine>& machine,
                                 const PolicyOptions& /*options*/) {
  return std::make_unique<Mpit>(*machine->room());
}

}  // namespace coolspan
