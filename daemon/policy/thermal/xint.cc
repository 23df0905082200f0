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

// XInt (Mukherjee et al., section 5.2): the least peak inlet by a genetic
// algorithm, seeded by the request; what it found then goes down by swaps, to a
// placing that none of them makes cooler.
class Xint final : public ThermalPolicy {
 public:
  std::string_view name() const override { return "xint"; }

 private:
  std::vector<NodeId> ChooseNodes(const Decision& decision,
                                  Trace& trace) const override;
};

// Each time by what heats the inlet that is the warmest now.
std::uint64_t GoDown(const ThermalProblem& question, Budget& budget,
                     GroupPlacement& placing) {
  InletConstraints rows(question);
  std::uint64_t all = 0;
  std::uint64_t swaps = 0;
  do {
    std::vector<double> weights(question.zone_count(), 0.0);
    weights[placing.peak_zone()] = 1;
    Prices prices;
    rows.SetPricesOfAll(weights, prices);
    swaps = LowerPeakBySwaps(rows, prices.of_group,
                             -std::numeric_limits<double>::infinity(), budget,
                             placing);
    all += swaps;
  } while (swaps > 0 && !budget.exhausted());
  return all;
}

std::vector<NodeId> Xint::ChooseNodes(const Decision& decision,
                                      Trace& trace) const {
  const ThermalProblem question(decision.room, decision.choice,
                                decision.communication_share);
  if (question.wanted() == 0) return decision.choice.required.Members();
  Evolved evolved =
      EvolvePlacing(question, decision.choice.seed, decision.budget);
  trace.Note("seed", static_cast<std::int64_t>(decision.choice.seed));
  trace.Note("generations", static_cast<std::int64_t>(evolved.generations));
  trace.Note("children", static_cast<std::int64_t>(evolved.children));
  const std::uint64_t swaps = GoDown(question, decision.budget, evolved.best);
  trace.Note("swaps", static_cast<std::int64_t>(swaps));
  trace.Note("peak_inlet_c", evolved.best.peak_c());
  return question.NodesOf(evolved.best.counts());
}

}  // namespace

std::unique_ptr<Policy> MakeXint(
    const std::shared_ptr<const Machine>& /*machine*/,
    const PolicyOptions& /*options*/) {
  return std::make_unique<Xint>();
}

}  // namespace coolspan
