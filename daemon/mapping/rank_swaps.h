// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_MAPPING_RANK_SWAPS_H_
#define COOLSPAN_MAPPING_RANK_SWAPS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/budget.h"
#include "mapping/rank_graph.h"
#include "mapping/sites.h"

namespace coolspan {

// The sum over the edges of bytes x hops.
double CostOfPlaces(const RankGraph& graph, const Sites& sites,
                    std::span<const SiteId> places);

// Local search: each rank is swapped with ranks on and next to the sites of the
// ranks that it has most traffic with, if that decreases the cost, until no
// such swap does or the budget ends. A swap costs the edges of two ranks.
void ImproveBySwaps(const RankGraph& graph, const Sites& sites,
                    std::vector<SiteId>& places, Budget& budget);

// Robust tabu search (Taillard, Parallel Computing 17, 1991) for few ranks: in
// each step the swap that decreases the cost most or increases it least, except
// that no rank soon returns to a site that it left. Leaves the best places that
// were found. Work: slots squared per step.
inline constexpr std::uint32_t kMaxTabu = 128;  // ranks
void ImproveByTabuSearch(const RankGraph& graph, const Sites& sites,
                         std::uint64_t seed, std::vector<SiteId>& places,
                         Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_MAPPING_RANK_SWAPS_H_
