// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_DISTANCE_BOX_COUNTS_H_
#define COOLSPAN_POLICY_DISTANCE_BOX_COUNTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/types.h"
#include "policy/distance/grid_axis.h"

namespace coolspan {

// The number of nodes in the box around every vertex: the shape and `shells`
// shells around it. The sums along the first axis come from prefix sums, made
// once; a window slides along each of the others. So the boxes of all vertices
// cost a few additions per vertex, whatever their size, and both kinds of loops
// run over consecutive vertices.
class BoxCounts {
 public:
  // nodes: by vertex. Both arguments must outlive this.
  BoxCounts(std::span<const GridAxis> axes, std::span<const NodeCount> nodes);
  // By vertex; valid until the next call.
  const std::vector<NodeCount>& Count(std::uint32_t shells);

 private:
  void SumAlongFirst(std::uint32_t shells);

  std::span<const GridAxis> axes_;
  // Of each line along the first axis, over three times its extent: an axis
  // without wrap continues with empty vertices on both sides, a ring with
  // itself.
  std::vector<NodeCount> prefixes_;
  std::vector<NodeCount> from_;
  std::vector<NodeCount> to_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_BOX_COUNTS_H_
