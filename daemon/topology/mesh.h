// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_MESH_H_
#define COOLSPAN_TOPOLOGY_MESH_H_

#include <memory>

#include "absl/status/statusor.h"
#include "core/topology.h"

namespace coolspan {

// A mesh, or a torus in the dimensions that wrap; kind() is "mesh", or "torus"
// if any dimension wraps. Hops are between grid neighbours; a wrapped dimension
// has one link if its extent is 2 and none if it is 1. Holes forward traffic.
// Distance is O(d) in d dimensions; PairwiseTotal of k nodes is
// O(k * d + sum of extents), or O(k^2 * d) where that is less.
// grid: holes and short vertices may be in any order.
// Errors: INVALID_ARGUMENT naming the wrong entry and what was expected.
absl::StatusOr<std::shared_ptr<const Topology>> MakeMesh(Grid grid);

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_MESH_H_
