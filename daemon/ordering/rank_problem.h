// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ORDERING_RANK_PROBLEM_H_
#define COOLSPAN_ORDERING_RANK_PROBLEM_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/topology.h"
#include "core/types.h"
#include "locality/locality.h"

namespace coolspan {

// Locality costs in units of 2^-32 hops, the least weight there is, so that
// sums are exact and comparisons mean something.
using ScaledCost = std::int64_t;
inline constexpr double kCostScale = 4294967296.0;  // 2^32

// The problem that mip solves (cpa-rd100-cplant-bender, section 2.2): a vertex
// for each rank, each as often as it has nodes, so that the sum over pairs of
// ranks of w(difference) * hops is least. Nodes of one vertex are alike, so it
// is a problem of vertices. Immutable, thread-safe.
class RankProblem {
 public:
  // Here vertices with nodes are numbered from 0, by their ids.
  using Site = std::uint32_t;

  // ring: differences go the shorter way around the ring of ranks.
  RankProblem(const Topology& topology, bool ring);

  bool ring() const { return ring_; }
  Rank ranks() const { return ranks_; }
  Site sites() const { return static_cast<Site>(vertices_.size()); }
  VertexId VertexOf(Site site) const { return vertices_[site]; }
  Site SiteOf(VertexId vertex) const { return site_of_vertex_[vertex]; }
  NodeCount NodesAt(Site site) const { return nodes_[site]; }
  ScaledCost HopsBetween(Site a, Site b) const {
    return static_cast<ScaledCost>(
        topology_.VertexDistance(vertices_[a], vertices_[b]));
  }

  // Of two ranks: w of their difference. 0 for a rank and itself.
  ScaledCost Weight(Rank a, Rank b) const;
  // The locality cost of an order, the site at each rank.
  ScaledCost CostOf(std::span<const Site> order) const;

 private:
  const Topology& topology_;
  const bool ring_;
  Rank ranks_ = 0;
  std::vector<VertexId> vertices_;
  std::vector<Site> site_of_vertex_;
  std::vector<NodeCount> nodes_;
};

// What no order of the problem costs less than, without search.
//
// The cost is the sum over t = 1, 2, ... of the weight of all pairs at t hops
// and more. Of the pairs nearer than that, those in one cluster (joined by
// steps of less than t hops) weigh most when its ranks are in a row, by the
// rearrangement inequality of Riesz (on a ring: Pruss, Discrete
// convolution-rearrangement inequalities, 1998); and no node has more partners
// so near than it has nodes so near, however close the ranks. Where nearness is
// hierarchical, as on trees of switches, an order that keeps all clusters
// together meets the bound.
// With more than 2,048 sites only t = 1 is counted, as time is quadratic in
// them; so it is where the sums would not fit.
ScaledCost LocalityBound(const RankProblem& problem);

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_RANK_PROBLEM_H_
