// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_HOP_MATRIX_H_
#define COOLSPAN_TOPOLOGY_HOP_MATRIX_H_

#include <memory>

#include "absl/status/statusor.h"
#include "core/topology.h"
#include "topology/hop_table.h"

namespace coolspan {

// A machine of which only the hops between nodes are known, one node per
// vertex; kind() is "hops". Neighbours of a node are the nodes at the smallest
// distance above 0 of the whole matrix, or below.
// Distance is O(1).
// Errors: INVALID_ARGUMENT for a matrix that is empty, not symmetric, or not 0
// on its diagonal.
absl::StatusOr<std::shared_ptr<const Topology>> MakeHopMatrix(HopTable hops);

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_HOP_MATRIX_H_
