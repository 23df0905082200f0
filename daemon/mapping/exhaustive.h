// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_MAPPING_EXHAUSTIVE_H_
#define COOLSPAN_MAPPING_EXHAUSTIVE_H_

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "mapping/rank_graph.h"
#include "mapping/sites.h"

namespace coolspan {

// Regions of at most as many slots are searched exhaustively
// (joint-bqp-task-mapping, section 4.3).
inline constexpr std::size_t kMaxExhaustive = 8;

// The best places of a few ranks, by branch and bound. slots: one site for each
// rank, a site as often as it has slots. cost_elsewhere: the cost of the
// traffic of a rank on a site with ranks that are not among these. Returns the
// site of each of the ranks. REQUIRES ranks.size() == slots.size() <=
// kMaxExhaustive.
std::vector<SiteId> PlaceExhaustively(
    const RankGraph& graph, const Sites& sites, std::span<const TaskRank> ranks,
    std::span<const SiteId> slots,
    const std::function<double(TaskRank, SiteId)>& cost_elsewhere);

}  // namespace coolspan

#endif  // COOLSPAN_MAPPING_EXHAUSTIVE_H_
