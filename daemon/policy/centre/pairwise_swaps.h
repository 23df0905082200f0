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

// Local search of MM+Inc (cpa-rd100-cplant-bender, Bender et al., section 5).
// Each step replaces one chosen node by a free one, the swap that decreases the
// total pairwise distance most (ties: the smallest vertex removed, then the
// smallest added), until no swap decreases it or the budget ends. Required
// nodes stay.
struct Improved {
  std::vector<VertexNodes> chosen;  // ascending by vertex
  std::uint64_t swaps = 0;
  std::uint64_t saved = 0;  // decrease of the total pairwise distance
};
// grid: of the topology; null if it has no coordinates.
Improved ImproveBySwaps(const Topology& topology, const GridTable* grid,
                        const FreeSites& sites,
                        std::span<const VertexNodes> chosen, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_CENTRE_PAIRWISE_SWAPS_H_
