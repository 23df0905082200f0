// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_FAT_TREE_H_
#define COOLSPAN_TOPOLOGY_FAT_TREE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "core/topology.h"

namespace coolspan {

// A tree of switches and the number of nodes at each.
struct SwitchTree {
  // By switch. The last switch is the top and its own parent; every other one
  // comes before its parent.
  std::vector<VertexId> parent;
  std::vector<NodeCount> nodes_at;  // as long as parent
  // Switches::listed; empty: by number.
  std::vector<VertexId> listed = {};
};

// A fat tree; kind() is "fat-tree". Parallel links between two switches count
// as one. Vertices are switches; hops are counted between switches along the
// tree, so nodes at the same switch have distance 0. Distance is O(depth),
// PairwiseTotal of k nodes O(k + switches), or O(k^2 * depth) where that is
// less. Errors: INVALID_ARGUMENT if the switches do not form a tree as
// described, for more than kMaxVertices switches or nodes, or no nodes, and if
// `listed` has other switches than all, or all but the top, once each.
absl::StatusOr<std::shared_ptr<const Topology>> MakeFatTree(SwitchTree tree);

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_FAT_TREE_H_
