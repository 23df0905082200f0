// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_MAPPING_SLOT_PROBLEM_H_
#define COOLSPAN_MAPPING_SLOT_PROBLEM_H_

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/mapper.h"
#include "mapping/rank_graph.h"
#include "mapping/sites.h"

namespace coolspan {

// A mapping problem as a one-to-one assignment: as many ranks as slots, of
// which those after the pattern's do not communicate. The topology and the
// problem must outlive it. Immutable.
class SlotProblem {
 public:
  SlotProblem(const Topology& topology, const MappingProblem& problem);

  const RankGraph& graph() const { return graph_; }
  const Sites& sites() const { return sites_; }
  std::span<const std::uint32_t> slots() const { return problem_.slots; }
  // Consecutive ranks on consecutive sites.
  std::vector<SiteId> InOrder() const;
  RankToNode NodesOf(std::span<const SiteId> places) const;

 private:
  const MappingProblem& problem_;
  Sites sites_;
  RankGraph graph_;
};

}  // namespace coolspan

#endif  // COOLSPAN_MAPPING_SLOT_PROBLEM_H_
