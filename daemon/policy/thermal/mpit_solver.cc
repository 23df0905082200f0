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

// Small problems are solved to the optimum, large ones to a bound within a few
// millikelvins.
constexpr std::size_t kMaxSmallGroups = 256;
constexpr double kSmallToleranceK = 1e-6;
constexpr double kLargeToleranceK = 0.0025;
constexpr double kNoGapK = 5e-5;
constexpr std::uint64_t kMaxSubproblems = 200'000;

// The nodes with the smallest sum of rises over all inlets, as in min-hr: the
// fallback if the relaxation ended before it found the inlets that bind.
GroupPlacement MinHeat(const ThermalProblem& problem,
                       std::span<const double> column_sums) {
  std::vector<double> prices;
  prices.reserve(problem.groups().size());
  for (const HeatGroup& group : problem.groups()) {
    prices.push_back(group.watts * column_sums[group.zone]);
  }
  return GroupPlacement(problem, problem.Cheapest(prices));
}

}  // namespace

MpitSolution SolveMpit(InletConstraints& constraints,
                       std::span<const double> column_sums, Budget& budget) {
  const ThermalProblem& problem = constraints.problem();
  if (problem.nodes_to_choose() == 0) {
    GroupPlacement empty(problem,
                         std::vector<NodeCount>(problem.groups().size(), 0));
    const double peak_c = empty.peak_c();
    return {std::move(empty), peak_c, 0, "not needed"};
  }
  const double tolerance_k = problem.groups().size() <= kMaxSmallGroups
                                 ? kSmallToleranceK
                                 : kLargeToleranceK;
  LpRelaxation relaxation = SolveRelaxation(constraints, tolerance_k, budget);
  MpitSolution solution{
      GroupPlacement(problem, RoundLargestParts(problem, relaxation.nodes,
                                                relaxation.prices.of_group)),
      relaxation.prices.bound_c, relaxation.peak_c - relaxation.prices.bound_c,
      relaxation.method, relaxation.rounds};
  if (budget.exhausted()) {
    GroupPlacement min_heat = MinHeat(problem, column_sums);
    if (min_heat.peak_c() < solution.placement.peak_c()) {
      solution.placement = std::move(min_heat);
    }
  }
  const double target_c = solution.bound_c + kNoGapK;
  solution.swaps = LowerPeakBySwaps(constraints, relaxation.prices.of_group,
                                    target_c, budget, solution.placement);
  if (solution.gap_k() > kNoGapK && CanBranch(problem)) {
    relaxation.weights.resize(constraints.size(), 0.0);
    const BranchResult branching = ImproveByBranching(
        constraints, relaxation.weights, relaxation.prices, kSmallToleranceK,
        kMaxSubproblems, budget, solution.placement);
    solution.subproblems = branching.subproblems;
    if (branching.finished) {
      solution.bound_c = std::max(
          solution.bound_c, solution.placement.peak_c() - kSmallToleranceK);
    }
  }
  solution.bound_c = std::min(solution.bound_c, solution.placement.peak_c());
  solution.prices = std::move(relaxation.prices.of_group);
  return solution;
}

}  // namespace coolspan
