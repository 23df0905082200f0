// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_MAPPING_GRAPH_CUT_H_
#define COOLSPAN_MAPPING_GRAPH_CUT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/budget.h"
#include "mapping/rank_graph.h"

namespace coolspan {

// Divides some ranks into two parts of about first_count ranks and the rest
// with little traffic between them, by METIS (Karypis, Kumar: A fast and high
// quality multilevel scheme for partitioning irregular graphs, 1998). METIS
// cannot be stopped, so it gets only the heaviest edges of each rank, and no
// graph that takes it more than about a second; it is one at a time in a
// process. Without METIS, or if the budget's time ends before its turn, the
// first ranks are the first part. index_of: of each of the
// ranks in `ranks`; others are ignored. pull: for each of the ranks, the bytes
// that tie it to the first part (above 0) or to the second one (below 0): METIS
// gets a further vertex for each part. Returns, for each of the ranks, whether
// it is in the second part; the parts have about the wanted numbers. REQUIRES 0
// < first_count < ranks.size().
std::vector<bool> CutRanks(const RankGraph& graph,
                           std::span<const TaskRank> ranks,
                           std::span<const std::uint32_t> index_of,
                           std::span<const double> pull,
                           std::size_t first_count, std::uint64_t seed,
                           Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_MAPPING_GRAPH_CUT_H_
