// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_TREE_ROUTES_H_
#define COOLSPAN_TOPOLOGY_TREE_ROUTES_H_

#include <memory>

#include "core/topology.h"
#include "topology/routes.h"

namespace coolspan {

// Up-down routes on a fat tree: up to the lowest switch that is above both
// ends, then down. The link above a switch stands for all its links there: it
// has the capacity of (nodes below the switch) / oversubscription links, at
// least 1. AddAllToAll of k nodes is O(k * depth). topology: with switches();
// must outlive the routes.
std::unique_ptr<Routes> MakeTreeRoutes(const Topology& topology,
                                       double oversubscription);

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_TREE_ROUTES_H_
