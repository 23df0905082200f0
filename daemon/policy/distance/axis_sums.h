// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_DISTANCE_AXIS_SUMS_H_
#define COOLSPAN_POLICY_DISTANCE_AXIS_SUMS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/types.h"
#include "policy/distance/free_sites.h"
#include "policy/distance/grid_axis.h"

namespace coolspan {

// Steps to the right from start to x, around the end of an axis where x is to
// the left. Without a branch, since which it is cannot be foretold.
inline std::size_t StepsAround(std::uint32_t start, std::uint32_t extent,
                               std::uint32_t x) {
  const std::uint32_t steps = x - start;  // 2^31 and more: to the left
  return steps + (extent & (0U - (steps >> 31)));
}

// Part of an axis, from coordinate `start` on `counts.size()` to the right,
// around the end of a ring; none twice.
struct AxisWindow {
  std::uint32_t start = 0;
  std::vector<NodeCount> counts;    // nodes with that coordinate
  std::vector<std::uint64_t> sums;  // distance to all of them along the axis

  std::size_t IndexOf(const GridAxis& axis, std::uint32_t x) const {
    return StepsAround(start, axis.extent, x);
  }
  // Sets sums from counts and answers the total over pairs along the axis. The
  // distances of pairs add up coordinate by coordinate, so this takes as many
  // steps as there are coordinates, unless the window is more than half a ring
  // round.
  std::uint64_t Sum(const GridAxis& axis);
};

// Sums of hop distances to a set of nodes on a grid, kept as counts for each
// coordinate of each dimension. Cost of a sum: one look-up a dimension.
class AxisSums {
 public:
  // coordinates: by vertex, then dimension.
  AxisSums(std::span<const GridAxis> axes,
           std::span<const std::uint32_t> coordinates);

  void Add(VertexId vertex, NodeCount nodes);
  void Remove(VertexId vertex, NodeCount nodes);
  // To be called before asking, after any change.
  void Update();

  std::uint64_t SumTo(VertexId vertex) const {
    std::uint64_t sum = 0;
    const std::uint32_t* at = &coordinates_[vertex * axes_.size()];
    for (std::size_t d = 0; d < axes_.size(); ++d) sum += Along(d, at[d]);
    return sum;
  }
  std::uint64_t Along(std::size_t dimension, std::uint32_t coordinate) const {
    return windows_[dimension].sums[coordinate];
  }
  std::uint64_t PairwiseTotal() const { return total_; }

 private:
  std::span<const GridAxis> axes_;
  std::span<const std::uint32_t> coordinates_;
  std::vector<AxisWindow> windows_;  // whole axes
  std::uint64_t total_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_AXIS_SUMS_H_
