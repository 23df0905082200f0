// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_MAPPING_EXACT_SEARCH_H_
#define COOLSPAN_MAPPING_EXACT_SEARCH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/budget.h"
#include "mapping/rank_graph.h"
#include "mapping/sites.h"

namespace coolspan {

// The number of mappings of the ranks that communicate to the vertices of the
// sites, each vertex with the slots of its sites. Mappings that differ by ranks
// of one vertex only count once, so few ranks with many spare slots, or many
// ranks on few nodes, have few. slots: of each site; as many in total as ranks.
double CountMappings(const RankGraph& graph, const Sites& sites,
                     std::span<const std::uint32_t> slots);

// The largest number of mappings that ImproveExactly searches: that of 11 ranks
// on 11 nodes, 11!.
inline constexpr double kMaxMappings = 39'916'800;

// Branch and bound over all mappings, from the cost of `places`, which become
// the optimum. Does nothing if there are more than kMaxMappings mappings, or
// 2,048 vertices. Ends with half of what is left of the budget, and in any case
// after about a second: that is enough for 10 ranks on 10 nodes. Places are
// then the best found. Returns whether they are the optimum. slots: as for
// CountMappings. REQUIRES as many ranks on each site as it has slots.
bool ImproveExactly(const RankGraph& graph, const Sites& sites,
                    std::span<const std::uint32_t> slots,
                    std::vector<SiteId>& places, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_MAPPING_EXACT_SEARCH_H_
