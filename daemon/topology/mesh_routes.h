// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_MESH_ROUTES_H_
#define COOLSPAN_TOPOLOGY_MESH_ROUTES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "core/topology.h"
#include "topology/routes.h"

namespace coolspan {

// Dimension-ordered routes on a mesh or torus, the first dimension (x) first,
// around a ring the shorter way; half the traffic each way where both are
// equally long. Dally and Towles, "Principles and practices of interconnection
// networks" (2004), section 8.4.2. AddAllToAll of k nodes is
// O(k * d + links of the rows and columns in use) in d dimensions on a mesh.
// topology: with grid(); must outlive the routes. Errors: MakeRoutes.
absl::StatusOr<std::unique_ptr<Routes>> MakeMeshRoutes(
    const Topology& topology);

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_MESH_ROUTES_H_
