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

// The genetic algorithm of XInt (Mukherjee et al., algorithm 3): a pool of
// placements; each generation some are selected by roulette wheel, some of
// those mutate (nodes go from one group to another), some recombine, and the
// fittest of all make the next pool. Only the columns of D that a child changes
// are added up. The same for a seed; ends when it has not got better for a
// while, or with the budget. REQUIRES wanted > 0.
GeneticResult EvolvePlacement(const ThermalProblem& problem, std::uint64_t seed,
                              Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_GENETIC_SEARCH_H_
