// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/distance/distance_sums.h"

#include <algorithm>

namespace coolspan {

DistanceSums::DistanceSums(const Topology& topology, const GridTable* grid)
    : topology_(topology) {
  if (grid == nullptr) {
    sums_.resize(topology.vertex_count(), 0);
    return;
  }
  axes_.emplace(grid->axes, grid->coordinates);
  for (const GridAxis& axis : grid->axes) {
    farthest_ += axis.wrap ? axis.extent / 2 : axis.extent - 1;
  }
}

void DistanceSums::Add(VertexId vertex, NodeCount nodes) {
  if (axes_) {
    axes_->Add(vertex, nodes);
    return;
  }
  for (VertexId v = 0; v < sums_.size(); ++v) {
    const Hops hops = topology_.VertexDistance(vertex, v);
    farthest_ = std::max(farthest_, hops);
    sums_[v] += std::uint64_t{nodes} * hops;
  }
}

void DistanceSums::Remove(VertexId vertex, NodeCount nodes) {
  if (axes_) {
    axes_->Remove(vertex, nodes);
    return;
  }
  for (VertexId v = 0; v < sums_.size(); ++v) {
    sums_[v] -= std::uint64_t{nodes} * topology_.VertexDistance(vertex, v);
  }
}

}  // namespace coolspan
