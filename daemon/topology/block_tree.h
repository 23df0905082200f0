// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_BLOCK_TREE_H_
#define COOLSPAN_TOPOLOGY_BLOCK_TREE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "core/blocks.h"
#include "core/topology.h"

namespace coolspan {

// The blocks of Slurm's topology/block as a tree (fat_tree.h): a switch for
// each base block, above them one for each block of each further size, and one
// above all. kind() is "blocks"; blocks() is not null.
// Errors: INVALID_ARGUMENT for no base block, one with fewer than base_nodes
// nodes, sizes that are not ascending powers of 2 from 1, and as MakeFatTree.
absl::StatusOr<std::shared_ptr<const Topology>> MakeBlockTree(Blocks blocks);

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_BLOCK_TREE_H_
