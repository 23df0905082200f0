// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_SCHEDULERS_SCINT_SEARCH_H_
#define COOLSPAN_REPLAY_SCHEDULERS_SCINT_SEARCH_H_

#include <cstdint>
#include <vector>

#include "replay/schedulers/scint_problem.h"

namespace coolspan {

struct ScintResult {
  ScintPlan plan;
  double cost_j = 0;  // ScintEnergy::Cost
  std::uint64_t evaluations = 0;
  std::uint64_t generations = 0;
};

// The genetic algorithm of SCINT (spatio-temporal-scint, algorithm 1): each
// generation selects parents by roulette wheel, recombines or mutates them
// (other starts, nodes moved between two sites, other sites for a job), and
// keeps the plans with the lowest cost. Unlike in the paper, a child is not one
// mutation but a short descent: mutations that raise its cost by more than a
// temperature, which falls to 0 with the budget, are undone.
//
// Anytime: the result is the best plan of at most max_evaluations evaluations,
// never worse than the best of the pool. A child has a random sequence of its
// own, so the result depends on the seed, not on the number of threads.
// REQUIRES a pool of at least one plan, all within the nodes of each site.
ScintResult EvolvePlans(const ScintProblem& problem,
                        std::vector<ScintPlan> pool, std::uint64_t seed,
                        std::uint64_t max_evaluations);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_SCHEDULERS_SCINT_SEARCH_H_
