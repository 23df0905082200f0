// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/thermal/mpit_solver.h"

#include <algorithm>
#include <span>
#include <utility>

#include "policy/thermal/branch_and_bound.h"
#include "policy/thermal/lp_relaxation.h"
#include "policy/thermal/swap_search.h"

namespace coolspan {
namespace {

// Small rooms are asked for the optimum, large ones for a bound that is known
// to a few thousandths of a kelvin.
constexpr std::size_t kSmallGroups = 256;
constexpr double kSmallToleranceK = 1e-6;
constexpr double kLargeToleranceK = 0.0025;
constexpr double kNoGapK = 5e-5;
constexpr std::uint64_t kMaxParts = 200'000;

// The nodes that add least to all inlets together, as min-hr takes them. Where
// the relaxation ended early it may not have met the inlets that matter.
GroupPlacement LeastHeat(const ThermalProblem& question,
                         std::span<const double> column_sums) {
  std::vector<double> prices;
  prices.reserve(question.groups().size());
  for (const HeatGroup& group : question.groups()) {
    prices.push_back(group.watts * column_sums[group.zone]);
  }
  return GroupPlacement(question, question.Cheapest(prices));
}

}  // namespace

MpitSolution SolveMpit(InletConstraints& rows,
                       std::span<const double> column_sums, Budget& budget) {
  const ThermalProblem& question = rows.question();
  if (question.wanted() == 0) {
    GroupPlacement nothing(question,
                           std::vector<NodeCount>(question.groups().size(), 0));
    const double peak_c = nothing.peak_c();
    return {std::move(nothing), peak_c, 0, "none needed"};
  }
  const double tolerance_k = question.groups().size() <= kSmallGroups
                                 ? kSmallToleranceK
                                 : kLargeToleranceK;
  LpRelaxation relaxed = RelaxPeak(rows, tolerance_k, budget);
  MpitSolution found{
      GroupPlacement(question, TakeLargestParts(question, relaxed.nodes,
                                                relaxed.prices.of_group)),
      relaxed.prices.bound_c, relaxed.peak_c - relaxed.prices.bound_c,
      relaxed.method, relaxed.rounds};
  if (budget.exhausted()) {
    GroupPlacement simple = LeastHeat(question, column_sums);
    if (simple.peak_c() < found.placing.peak_c()) {
      found.placing = std::move(simple);
    }
  }
  const double enough_c = found.bound_c + kNoGapK;
  found.swaps = LowerPeakBySwaps(rows, relaxed.prices.of_group, enough_c,
                                 budget, found.placing);
  if (found.gap_k() > kNoGapK && CanBranch(question)) {
    relaxed.weights.resize(rows.size(), 0.0);
    const Branched branched =
        BranchForPeak(rows, relaxed.weights, relaxed.prices, kSmallToleranceK,
                      kMaxParts, budget, found.placing);
    found.looked_at = branched.looked_at;
    if (branched.finished) {
      found.bound_c =
          std::max(found.bound_c, found.placing.peak_c() - kSmallToleranceK);
    }
  }
  found.bound_c = std::min(found.bound_c, found.placing.peak_c());
  found.prices = std::move(relaxed.prices.of_group);
  return found;
}

}  // namespace coolspan
