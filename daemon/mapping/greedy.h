// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_MAPPING_GREEDY_H_
#define COOLSPAN_MAPPING_GREEDY_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/budget.h"
#include "mapping/rank_graph.h"
#include "mapping/sites.h"

namespace coolspan {

// The rank with most traffic on the middle site; then always the rank with most
// traffic to those placed, on the free slot where that costs least (smallest
// site among equal ones). After the budget's end, ranks take free slots in
// order. slots: of each site, as many in total as ranks.
std::vector<SiteId> PlaceGreedily(const RankGraph& graph, const Sites& sites,
                                  std::span<const std::uint32_t> slots,
                                  Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_MAPPING_GREEDY_H_
