// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/slot_problem.h"

#include <numeric>

namespace coolspan {

SlotProblem::SlotProblem(const Topology& topology,
                         const MappingProblem& problem)
    : problem_(problem),
      sites_(topology, problem.nodes),
      graph_(*problem.pattern,
             std::accumulate(problem.slots.begin(), problem.slots.end(),
                             std::uint32_t{0})) {}

std::vector<SiteId> SlotProblem::InOrder() const {
  std::vector<SiteId> places;
  places.reserve(graph_.size());
  for (SiteId site = 0; site < sites_.size(); ++site) {
    places.insert(places.end(), problem_.slots[site], site);
  }
  return places;
}

RankToNode SlotProblem::NodesOf(std::span<const SiteId> places) const {
  RankToNode nodes;
  nodes.reserve(problem_.pattern->ranks());
  for (TaskRank rank = 0; rank < problem_.pattern->ranks(); ++rank) {
    nodes.push_back(problem_.nodes[places[rank]]);
  }
  return nodes;
}

}  // namespace coolspan
