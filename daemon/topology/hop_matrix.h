// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_HOP_MATRIX_H_
#define COOLSPAN_TOPOLOGY_HOP_MATRIX_H_

#include <memory>

#include "absl/status/statusor.h"
#include "core/topology.h"
#include "topology/hop_table.h"

namespace coolspan {

// A machine of which only the hops between its nodes are known, one node a
// vertex; kind() is "hops". Neighbours are the nodes at no more than the least
// distance above zero that the matrix has.
// Distance is O(1).
// Errors: INVALID_ARGUMENT for a matrix without nodes, one that is not
// symmetric or has anything but zeros on its diagonal.
absl::StatusOr<std::shared_ptr<const Topology>> MakeHopMatrix(HopTable hops);

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_HOP_MATRIX_H_
