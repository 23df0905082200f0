// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_DISTANCE_BOX_COUNTS_H_
#define COOLSPAN_POLICY_DISTANCE_BOX_COUNTS_H_

#include <cstdint>
#include <vector>

#include "policy/distance/grid_places.h"

namespace coolspan {

// The number of free nodes in the box around every vertex: the shape and
// `shells` shells around it. A window slides along each axis in turn, so the
// boxes of all vertices cost a few additions per vertex, whatever their size.
class BoxCounts {
 public:
  // places must outlive this.
  explicit BoxCounts(const GridPlaces& places);
  // By vertex; valid until the next call.
  const std::vector<NodeCount>& Count(std::uint32_t shells);

 private:
  const GridPlaces& places_;
  std::vector<NodeCount> from_;
  std::vector<NodeCount> to_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_BOX_COUNTS_H_
