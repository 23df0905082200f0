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

// Sums of hop distances from any vertex to a set of nodes that changes: by
// coordinates where there are some, else a sum for every vertex.
class DistanceSums {
 public:
  // grid: of the topology, or null where it has no coordinates.
  DistanceSums(const Topology& topology, const GridTable* grid);

  void Add(VertexId vertex, NodeCount nodes);
  // Work units of an Add or Remove, about.
  std::uint64_t WorkOfAdding() const {
    return axes_ ? 1 : 1 + sums_.size() / 4;
  }
  void Remove(VertexId vertex, NodeCount nodes);
  // To be called before asking, after any change.
  void Update() {
    if (axes_) axes_->Update();
  }
  std::uint64_t SumTo(VertexId vertex) const {
    return axes_ ? axes_->SumTo(vertex) : sums_[vertex];
  }
  // No vertex is farther from one that was ever added.
  Hops farthest() const { return farthest_; }

 private:
  const Topology& topology_;
  std::optional<AxisSums> axes_;
  std::vector<std::uint64_t> sums_;  // by vertex
  Hops farthest_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_DISTANCE_SUMS_H_
