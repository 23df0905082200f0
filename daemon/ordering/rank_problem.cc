// SPDX-License-Identifier: GPL-3.0-or-later
#include "ordering/rank_problem.h"

#include <algorithm>

namespace coolspan {

RankProblem::RankProblem(const Topology& topology, bool ring)
    : topology_(topology),
      ring_(ring),
      ranks_(topology.node_count()),
      site_of_vertex_(topology.vertex_count(), 0) {
  for (VertexId vertex = 0; vertex < topology.vertex_count(); ++vertex) {
    const NodeCount nodes = topology.NodesAt(vertex).count;
    if (nodes == 0) continue;
    site_of_vertex_[vertex] = sites();
    vertices_.push_back(vertex);
    nodes_.push_back(nodes);
  }
}

ScaledCost RankProblem::Weight(Rank a, Rank b) const {
  Rank difference = a < b ? b - a : a - b;
  if (ring_) difference = std::min(difference, ranks_ - difference);
  if (difference == 0 || difference > kLocalityReach) return 0;
  return ScaledCost{1} << (kLocalityReach - difference);
}

ScaledCost RankProblem::CostOf(std::span<const Site> order) const {
  ScaledCost cost = 0;
  for (Rank a = 0; a < order.size(); ++a) {
    const Rank reach = std::min<Rank>(kLocalityReach, ranks_ - 1);
    for (Rank k = 1; k <= reach; ++k) {
      Rank b = a + k;
      if (b >= ranks_) {
        // On a ring a pair is counted from one of its ranks, the one with the
        // other less than half the ring ahead.
        if (!ring_ || 2 * k >= ranks_) break;
        b -= ranks_;
      } else if (ring_ && 2 * k > ranks_) {
        break;
      }
      cost += Weight(a, b) * HopsBetween(order[a], order[b]);
    }
  }
  return cost;
}

}  // namespace coolspan
