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
  std::uint64_t routers = 1;  // of a group
  std::uint64_t nodes = 1;    // at a router
};

// The canonical dragonfly (kind()): inside a group each router has a link to
// each other; each two groups have one link. Global links stand in the relative
// arrangement of Hastings et al., "Comparing global link arrangements for
// dragonfly networks" (2015): link q of a group, from 0, leads to the group
// q + 1 further round, and consecutive links are spread evenly over the group's
// routers. A vertex is a router, group by group.
// Hops are those of the shortest path, which may lead through a third group.
// Distance is O(1), in a group or over its link; else O(global links of a
// router). PairwiseTotal of k nodes costs
// O(k + groups^2 + routers used * (global links of a router)^2), or O(routers
// used^2) distances where that is less.
// Errors: INVALID_ARGUMENT for a size of 0, more than kMaxVertices routers or
// nodes.
absl::StatusOr<std::shared_ptr<const Topology>> MakeDragonfly(
    DragonflySize size);

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_DRAGONFLY_H_
