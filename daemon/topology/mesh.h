// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_MESH_H_
#define COOLSPAN_TOPOLOGY_MESH_H_

#include <memory>

#include "absl/status/statusor.h"
#include "core/topology.h"

namespace coolspan {

// A mesh, or a torus in the dimensions that wrap; kind() is "mesh" or "torus"
// (any dimension wraps). Hops are between grid neighbours; a wrapped dimension
// of extent 2 has one link, of extent 1 none. A hole passes traffic on.
// Distance is O(d); PairwiseTotal of k nodes O(k*d + extents), or O(k^2 * d)
// where that is less.
// grid: holes and short vertices may come in any order.
// Errors: INVALID_ARGUMENT naming the entry that is wrong and what would be
// right.
absl::StatusOr<std::shared_ptr<const Topology>> MakeMesh(Grid grid);

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_MESH_H_
