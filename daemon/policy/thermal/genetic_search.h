// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_GENETIC_SEARCH_H_
#define COOLSPAN_POLICY_THERMAL_GENETIC_SEARCH_H_

#include <cstdint>

#include "core/budget.h"
#include "policy/thermal/group_placement.h"

namespace coolspan {

struct GeneticResult {
  GroupPlacement best;
  std::uint64_t generations = 0;
  std::uint64_t children = 0;
};

// The genetic algorithm of XInt (spatio-temporal-scint, algorithm 3), which
// minimises max_i T_i. Each generation selects parents from a pool of
// placements by roulette wheel, mutates some (moves nodes between two groups),
// recombines others, and keeps the placements with the lowest peaks. A child is
// evaluated from its parent's inlets and the columns of D that change.
//
// The same seed gives the same result. Ends after a fixed number of generations
// without improvement, or with the budget.
// REQUIRES problem.nodes_to_choose() > 0.
GeneticResult EvolvePlacement(const ThermalProblem& problem, std::uint64_t seed,
                              Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_GENETIC_SEARCH_H_
