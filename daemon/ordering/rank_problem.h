// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ORDERING_RANK_PROBLEM_H_
#define COOLSPAN_ORDERING_RANK_PROBLEM_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/topology.h"
#include "core/types.h"
#include "ordering/ordering_cost.h"

namespace coolspan {

// Locality costs in units of 2^-32 hops, the smallest weight, so that sums and
// comparisons are exact.
using ScaledCost = std::int64_t;
inline constexpr double kCostScale = 4294967296.0;  // 2^32

// The problem solved by mip (cpa-rd100-cplant-bender, section 2.2): assign a
// vertex v(r) to each rank r, each vertex as often as it has nodes, minimising
//   sum over pairs of ranks a < b of w(b - a) * hops(v(a), v(b)),
// w(k) = 2^-k for k = 1..32, else 0. Nodes of a vertex are interchangeable.
// Immutable, thread-safe.
class RankProblem {
 public:
  // Index of a vertex among those with nodes.
  using Site = std::uint32_t;

  // ring: rank differences are taken around the ring of ranks.
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

  // w of the difference of two ranks; 0 if they are equal.
  ScaledCost Weight(Rank a, Rank b) const;
  // The locality cost of an order; order: the site at each rank.
  ScaledCost CostOf(std::span<const Site> order) const;

 private:
  const Topology& topology_;
  const bool ring_;
  Rank ranks_ = 0;
  std::vector<VertexId> vertices_;
  std::vector<Site> site_of_vertex_;
  std::vector<NodeCount> nodes_;
};

// A lower bound on the cost of all orders, without search:
//   cost = sum over t = 1, 2, ... of the weight of all pairs at >= t hops
//        = sum over t of (weight of all pairs - weight of pairs at < t hops).
// The weight of pairs at < t hops is at most the smaller of
// - the sum over clusters (sites joined by steps of < t hops) of the weight of
//   as many consecutive ranks, by the rearrangement inequality of Riesz (on a
//   ring: Pruss, Discrete convolution-rearrangement inequalities, 1998);
// - half the sum over nodes of the largest weights of as many partners as the
//   node has within < t hops.
// On trees of switches an order that keeps all clusters together meets the
// bound. With more than 2,048 sites (time is quadratic in them), or if sums
// would overflow, only t = 1 is used.
ScaledCost LocalityBound(const RankProblem& problem);

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_RANK_PROBLEM_H_
