// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_BLOCKS_H_
#define COOLSPAN_CORE_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/types.h"

namespace coolspan {

// Groups of nodes that are close to each other, as in Slurm's topology/block:
// base blocks, and larger blocks of 2, 4, ... consecutive base blocks.
struct Blocks {
  // By base block: its first node, then the end; its nodes are consecutive.
  std::vector<NodeId> first_node;
  // The nodes that a base block counts for; it may have more or fewer.
  NodeCount base_nodes = 1;
  // Base blocks in a block, ascending powers of 2, the first is 1.
  std::vector<std::uint32_t> sizes;
  // Nodes of each base block that are left free.
  NodeCount spare_nodes = 0;

  std::uint32_t count() const {
    return static_cast<std::uint32_t>(first_node.size() - 1);
  }
};

// The base block of a node.
std::uint32_t BlockOf(const Blocks& blocks, NodeId node);

// Where that many nodes of one job must be for Slurm to accept them
// (eval_nodes_block of Slurm 24.11): in one block, and there in at most
// max_parts of its parts.
struct BlockRule {
  std::uint32_t block_size = 1;  // base blocks of the block
  std::uint32_t part_size = 1;   // base blocks of a part
  std::uint32_t max_parts = 1;
  // Parts of a block that count. Slurm leaves out a last part with fewer base
  // blocks than the others where all blocks are one.
  std::uint32_t parts = 1;
};
// REQUIRES nodes > 0 and at least one base block.
BlockRule RuleFor(const Blocks& blocks, NodeCount nodes);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_BLOCKS_H_
