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
// shells around it. A window slides along each axis in turn, so the
// boxes of all vertices cost a few additions per vertex, whatever their size.
class BoxCounts {
 public:
  // nodes: by vertex. Both arguments must outlive this.
  BoxCounts(std::span<const GridAxis> axes, std::span<const NodeCount> nodes);
  // By vertex; valid until the next call.
  const std::vector<NodeCount>& Count(std::uint32_t shells);

 private:
  std::span<const GridAxis> axes_;
  std::span<const NodeCount> nodes_;
  std::vector<NodeCount> from_;
  std::vector<NodeCount> to_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_BOX_COUNTS_H_
