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

// Steps to the right from start to x, around the end of the axis if x < start:
// (x - start) mod extent. Branch-free, as the branch would be unpredictable.
inline std::size_t StepsRight(std::uint32_t start, std::uint32_t extent,
                              std::uint32_t x) {
  const std::uint32_t steps = x - start;  // top bit set: x < start
  return steps + (extent & (0U - (steps >> 31)));
}

// counts.size() consecutive coordinates of an axis from `start` on to the
// right, around the end of a ring; at most the whole axis.
struct AxisWindow {
  std::uint32_t start = 0;
  std::vector<NodeCount> counts;  // c_x: nodes at each coordinate x
  // s_x = sum over y of c_y * |x - y|, with the ring distance on a ring.
  std::vector<std::uint64_t> sums;

  std::size_t IndexOf(const GridAxis& axis, std::uint32_t x) const {
    return StepsRight(start, axis.extent, x);
  }
  // Sets sums from counts and returns the total over pairs of nodes along the
  // axis, 1/2 sum over x of c_x * s_x. Time linear in the window.
  std::uint64_t Sum(const GridAxis& axis);
  // Adds the distances to `nodes` nodes at x, in the window, to sums.
  void AddSums(const GridAxis& axis, std::uint32_t x, NodeCount nodes);
};

// Sums of hop distances to a set of nodes on a grid. The hop distance is the
// sum of the distances along the dimensions, so the set is kept as a count per
// coordinate of each dimension, and a sum costs one look-up per dimension.
class AxisSums {
 public:
  // coordinates: by vertex, then dimension. Both arguments must outlive this.
  AxisSums(std::span<const GridAxis> axes,
           std::span<const std::uint32_t> coordinates);

  void Add(VertexId vertex, NodeCount nodes);
  void Remove(VertexId vertex, NodeCount nodes);
  // Call after Add or Remove, before the queries below.
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
