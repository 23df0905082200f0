// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_DRAGONFLY_ROUTES_H_
#define COOLSPAN_TOPOLOGY_DRAGONFLY_ROUTES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "core/topology.h"
#include "topology/dragonfly_routers.h"
#include "topology/routes.h"

namespace coolspan {

// Routes on a dragonfly. Minimal: to the router with the link to the other
// group, over that link, and to the target; never through a third group, even
// where that would be shorter by a hop. Valiant: first in that way to each
// third group in equal parts, then on; within a group, and with two groups,
// minimal. Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable
// dragonfly topology" (2008), section 4.1. AddAllToAll of nodes at r routers in
// g groups is O(r * routers of a group + r * g) minimal, O((r + g^2) * groups)
// Valiant. topology and plan must outlive the routes. Errors:
// MakeRoutes.
absl::StatusOr<std::unique_ptr<Routes>> MakeDragonflyRoutes(
    const Topology& topology, const DragonflyRouters& plan, bool valiant);

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_DRAGONFLY_ROUTES_H_
