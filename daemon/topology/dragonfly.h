// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_DRAGONFLY_H_
#define COOLSPAN_TOPOLOGY_DRAGONFLY_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "core/topology.h"

namespace coolspan {

struct DragonflySize {
  std::uint64_t groups = 1;
  std::uint64_t routers = 1;  // per group
  std::uint64_t nodes = 1;    // per router
};

// The canonical dragonfly; kind() is "dragonfly". All routers of a group are
// linked to each other, and there is one link between every pair of groups.
// Global links are in the relative arrangement of Hastings et al., "Comparing
// global link arrangements for dragonfly networks" (2015): link q = 0, 1, ...
// of group g leads to group (g + q + 1) mod groups, and consecutive links are
// spread evenly over the group's routers. Vertices are routers, numbered group
// by group.
// Hops are those of the shortest path, which may lead through a third group.
// Distance is O(1) within a group or at the direct link's routers, else
// O(global links of a router). PairwiseTotal of k nodes is
// O(k + groups^2 + routers used * (global links of a router)^2), or O(routers
// used^2) distances where that is less.
// Errors: INVALID_ARGUMENT for a size of 0, more than kMaxVertices routers or
// nodes.
absl::StatusOr<std::shared_ptr<const Topology>> MakeDragonfly(
    DragonflySize size);

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_DRAGONFLY_H_
