// SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include "policy/policies.h"
#include "policy/thermal/genetic_search.h"
#include "policy/thermal/inlet_constraints.h"
#include "policy/thermal/swap_search.h"
#include "policy/thermal/thermal_policy.h"
#include "policy/thermal/thermal_problem.h"

namespace coolspan {
namespace {

// XInt (spatio-temporal-scint, section 5.2): minimises max_i t_i^in by a
// genetic algorithm, seeded by the request. Swaps then improve the result to a
// local optimum.
class Xint final : public ThermalPolicy {
 public:
  std::string_view name() const override { return "xint"; }

 private:
  std::vector<NodeId> ChooseNodes(const Decision& decision,
                                  Trace& trace) const override;
};

// Repeats the swap search with the prices of the present peak inlet.
std::uint64_t DescendBySwaps(const ThermalProblem& problem, Budget& budget,
                             GroupPlacement& placement) {
  InletConstraints constraints(problem);
  std::uint64_t total_swaps = 0;
  std::uint64_t swaps = 0;
  do {
    std::vector<double> weights(problem.zone_count(), 0.0);
    weights[placement.peak_zone()] = 1;
    Prices prices;
    constraints.SetPricesOfAllInlets(weights, prices);
    swaps = LowerPeakBySwaps(constraints, prices.of_group,
                             -std::numeric_limits<double>::infinity(), budget,
                             placement);
    total_swaps += swaps;
  } while (swaps > 0 && !budget.exhausted());
  return total_swaps;
}

std::vector<NodeId> Xint::ChooseNodes(const Decision& decision,
                                      Trace& trace) const {
  const ThermalProblem problem(decision.room, decision.choice,
                               decision.communication_share);
  if (problem.nodes_to_choose() == 0) return decision.choice.required.Members();
  GeneticResult result =
      EvolvePlacement(problem, decision.choice.seed, decision.budget);
  trace.Note("seed", static_cast<std::int64_t>(decision.choice.seed));
  trace.Note("generations", static_cast<std::int64_t>(result.generations));
  trace.Note("children", static_cast<std::int64_t>(result.children));
  const std::uint64_t swaps =
      DescendBySwaps(problem, decision.budget, result.best);
  trace.Note("swaps", static_cast<std::int64_t>(swaps));
  trace.Note("peak_inlet_c", result.best.peak_c());
  return problem.NodesOf(result.best.counts());
}

}  // namespace

std::unique_ptr<Policy> MakeXint(
    const std::shared_ptr<const Machine>& /*machine*/,
    const PolicyOptions& /*options*/) {
  return std::make_unique<Xint>();
}

}  // namespace coolspan
