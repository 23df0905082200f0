// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/tree_routes.h"

#include <algorithm>

#include "topology/nodes_by_vertex.h"

namespace coolspan {
namespace {

class TreeRoutes final : public Routes {
 public:
  TreeRoutes(const Topology& topology, double oversubscription)
      : topology_(topology),
        parent_(topology.switches()->parent),
        nodes_below_(parent_.size(), 0),
        oversubscription_(oversubscription),
        counted_(parent_.size(), 0) {
    for (VertexId v = 0; v < parent_.size(); ++v) {
      nodes_below_[v] += topology.NodesAt(v).count;
      if (parent_[v] != v) nodes_below_[parent_[v]] += nodes_below_[v];
    }
  }

  LinkId link_count() const override {
    return static_cast<LinkId>(2 * (parent_.size() - 1));
  }
  Ends EndsOf(LinkId link) const override {
    const VertexId below = link / 2;
    if (link % 2 == 0) return {below, parent_[below]};
    return {parent_[below], below};
  }
  double CapacityOf(LinkId link) const override {
    return std::max(1.0, nodes_below_[link / 2] / oversubscription_);
  }

  // Of two different switches, the one with the lower number is not above the
  // other.
  void AddRoute(VertexId from, VertexId to, double volume,
                LinkLoads& loads) override {
    while (from != to) {
      if (from < to) {
        loads.Add(Up(from), volume);
        from = parent_[from];
      } else {
        loads.Add(Down(to), volume);
        to = parent_[to];
      }
    }
  }

  void AddAllToAll(std::span<const NodeId> nodes, double volume,
                   LinkLoads& loads) override {
    for (const VertexShare& share : SharesOf(topology_, nodes)) {
      for (VertexId v = share.vertex; parent_[v] != v; v = parent_[v]) {
        if (counted_[v] == 0) below_top_.push_back(v);
        counted_[v] += static_cast<double>(share.nodes);
      }
    }
    const auto all = static_cast<double>(nodes.size());
    for (const VertexId v : below_top_) {
      const double pairs = counted_[v] * (all - counted_[v]);
      loads.Add(Up(v), volume * pairs);
      loads.Add(Down(v), volume * pairs);
      counted_[v] = 0;
    }
    below_top_.clear();
  }

 private:
  static LinkId Up(VertexId v) { return 2 * v; }
  static LinkId Down(VertexId v) { return 2 * v + 1; }

  const Topology& topology_;
  const std::vector<VertexId>& parent_;
  std::vector<double> nodes_below_;  // by switch
  const double oversubscription_;
  // Of AddAllToAll: its nodes below each switch, and the switches with any.
  std::vector<double> counted_;
  std::vector<VertexId> below_top_;
};

}  // namespace

std::unique_ptr<Routes> MakeTreeRoutes(const Topology& topology,
                                       double oversubscription) {
  return std::make_unique<TreeRoutes>(topology, oversubscription);
}

}  // namespace coolspan
