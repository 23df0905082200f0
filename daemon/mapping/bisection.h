// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_MAPPING_BISECTION_H_
#define COOLSPAN_MAPPING_BISECTION_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/budget.h"
#include "mapping/rank_graph.h"
#include "mapping/sites.h"

namespace coolspan {

struct BisectionOptions {
  // Whether a cut, and a small region, takes the traffic with other regions
  // into account. In the paper they do not.
  bool sees_other_regions = true;
  std::uint64_t seed = 0;
};

// Recursive bisection of the ranks and the nodes (joint-bqp-task-mapping,
// section 4.3, after Hoefler and Snir): both graphs are cut in two with little
// weight across the cut, one half of the ranks is mapped to each half of the
// nodes, and so on; regions of up to kMaxExhaustive slots are searched
// exhaustively. Returns the site of each rank of the graph. slots: of each
// site; as many in total as ranks. After the budget's end, ranks take the slots
// of their region in order.
std::vector<SiteId> BisectRecursively(const RankGraph& graph,
                                      const Sites& sites,
                                      std::span<const std::uint32_t> slots,
                                      const BisectionOptions& options,
                                      Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_MAPPING_BISECTION_H_
