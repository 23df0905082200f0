// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_SLURM_BASE_BLOCKS_H_
#define COOLSPAN_POLICY_SLURM_BASE_BLOCKS_H_

#include <cstdint>
#include <vector>

#include "core/blocks.h"
#include "policy/slurm/table_nodes.h"

namespace coolspan {

// The choice of topology/block, for whole nodes of equal weight: within the
// smallest kind of block that may hold so many nodes (RuleFor), the block with
// the fewest available nodes that has enough in as many parts as the job may
// use; there, the base blocks with the fewest available nodes that have enough,
// else those with the most. With parts, first one that is in use already, then
// one by the same rule. Of equal blocks the last one.
// Source: behaviour of eval_nodes_block in Slurm 24.11.
class BaseBlocks {
 public:
  // order: of Slurm's node table. blocks must outlive the object; its spare
  // nodes are not considered, since Slurm has none.
  BaseBlocks(const Blocks& blocks, const std::vector<NodeId>& order);

  // Chooses all missing nodes, of one job or segment; false: Slurm finds no
  // place for them. Thread-safe.
  bool Choose(TableNodes& nodes) const;

 private:
  class Choice;

  const Blocks& blocks_;
  std::vector<std::vector<TableIndex>> nodes_;  // by base block, ascending
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_SLURM_BASE_BLOCKS_H_
