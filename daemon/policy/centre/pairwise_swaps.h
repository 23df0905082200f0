// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_CENTRE_PAIRWISE_SWAPS_H_
#define COOLSPAN_POLICY_CENTRE_PAIRWISE_SWAPS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/budget.h"
#include "core/topology.h"
#include "policy/distance/free_sites.h"
#include "policy/distance/grid_places.h"

namespace coolspan {

// Replaces chosen nodes by free ones, one at a time, each time the pair that
// lowers the total pairwise distance most (ties: the smallest vertex that goes,
// then the smallest that comes), until no pair lowers it or the budget ends.
// MM+Inc of Bender et al., section 5. Required nodes stay.
struct Improved {
  std::vector<VertexNodes> chosen;  // ascending by vertex
  std::uint64_t swaps = 0;
  std::uint64_t saved = 0;  // of the total pairwise distance
};
// grid: of the topology, or null where it has no coordinates.
Improved ImproveBySwaps(const Topology& topology, const GridTable* grid,
                        const FreeSites& sites,
                        std::span<const VertexNodes> chosen, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_CENTRE_PAIRWISE_SWAPS_H_
