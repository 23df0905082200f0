// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_FAT_TREE_H_
#define COOLSPAN_TOPOLOGY_FAT_TREE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "core/topology.h"

namespace coolspan {

// Switches, each below one other, and the nodes at each.
struct SwitchTree {
  // By switch; that of the last one, the top, is itself. A switch comes before
  // the one above it.
  std::vector<VertexId> parent;
  std::vector<NodeCount> nodes_at;  // as long as parent
};

// A fat tree (kind()): the tree of its switches, of which the links between
// two may be many. A vertex is a switch; hops are between switches, over the
// lowest one that is above both, so nodes at one switch have none.
// Distance is O(depth), PairwiseTotal of k nodes O(k + switches), or
// O(k^2 * depth) where that is less.
// Errors: INVALID_ARGUMENT for a tree that is none, more than kMaxVertices
// switches or nodes, no node.
absl::StatusOr<std::shared_ptr<const Topology>> MakeFatTree(SwitchTree tree);

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_FAT_TREE_H_
