// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_DISTANCE_DISTANCE_SUMS_H_
#define COOLSPAN_POLICY_DISTANCE_DISTANCE_SUMS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/topology.h"
#include "policy/distance/axis_sums.h"
#include "policy/distance/grid_places.h"

namespace coolspan {

// Sums of hop distances from any vertex to a changing set of nodes: per
// coordinate on a grid, else one sum per vertex.
class DistanceSums {
 public:
  // grid: of the topology; null if it has no coordinates. Both must outlive
  // this.
  DistanceSums(const Topology& topology, const GridTable* grid);

  void Add(VertexId vertex, NodeCount nodes);
  // Approximate work units of one Add or Remove.
  std::uint64_t WorkOfAdding() const {
    return axes_ ? 1 : 1 + sums_.size() / 4;
  }
  void Remove(VertexId vertex, NodeCount nodes);
  // Call after Add or Remove, before SumTo.
  void Update() {
    if (axes_) axes_->Update();
  }
  std::uint64_t SumTo(VertexId vertex) const {
    return axes_ ? axes_->SumTo(vertex) : sums_[vertex];
  }
  // An upper bound of the distance of any vertex to any vertex ever added.
  Hops farthest() const { return farthest_; }

 private:
  const Topology& topology_;
  std::optional<AxisSums> axes_;
  std::vector<std::uint64_t> sums_;  // by vertex
  Hops farthest_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_DISTANCE_SUMS_H_
