// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_BUDDY_BUDDY_BLOCKS_H_
#define COOLSPAN_POLICY_BUDDY_BUDDY_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "core/topology.h"
#include "ordering/ordering.h"
#include "policy/place_demand.h"

namespace coolspan {

// The free nodes of a machine as the largest aligned blocks, of 2^i cells in
// each dimension, that are free as a whole: what is left of the machine after
// splitting blocks into their 2^d buddies wherever nodes are taken (Lo et al.,
// IEEE TPDS 8(7), 1997; cited by cpa-rd100-cplant-bender). Cells are vertices,
// or, where the topology has no coordinates, ranks of the ordering; dimensions
// of extent 1 don't count. Level 0 are single nodes, level i + 1 blocks of 2^i
// cells a dimension; the nodes of a vertex that is free in part are single. Of
// an extent that is no power of two, blocks that stand inside it count.
class BuddyBlocks {
 public:
  struct Block {
    std::size_t level;
    std::uint32_t index;  // level 0: the node; else row-major in its level
    NodeCount required;   // how many required nodes it has
  };

  // Keeps references to all three. O(nodes of the machine).
  BuddyBlocks(const Topology& topology, const Ordering& ordering,
              const Choice& choice);

  std::size_t level_count() const { return levels_.size(); }
  NodeCount NodesOf(const Block& block) const {
    return levels_[block.level].nodes;
  }
  NodeCount NodesAtLevel(std::size_t level) const {
    return levels_[level].nodes;
  }

  // Takes a block out of the lowest level, from this one on, that has one with
  // required nodes; where none has, of the lowest that has any block: the one
  // with most required nodes, then the first.
  std::optional<Block> Pop(std::size_t from_level);
  // Puts a block that was taken out back. REQUIRES level > 0 for Split.
  void PutBack(const Block& block) { levels_[block.level].blocks.push(block); }
  void Split(const Block& block);
  void AppendNodes(const Block& block, std::vector<NodeId>& nodes) const;

 private:
  struct Later {
    bool operator()(const Block& a, const Block& b) const {
      if (a.required != b.required) return a.required < b.required;
      return a.index > b.index;
    }
  };
  using Queue = std::priority_queue<Block, std::vector<Block>, Later>;
  struct Level {
    NodeCount nodes = 1;                 // of a block
    std::vector<std::uint32_t> extents;  // in blocks
    std::vector<bool> free;              // by block, row-major
    std::vector<NodeCount> required;     // by block; empty where no node is
    Queue blocks;
  };

  Level CellLevel() const;
  Level NextLevel(const Level& below) const;
  void CollectBlocks();
  std::uint32_t CellOf(NodeId node) const;
  Topology::NodeRange NodesAtCell(std::uint32_t cell) const;
  template <typename Visitor>
  void ForEachBuddy(const Block& block, const Visitor& visit) const;
  Block BlockAt(std::size_t level, std::uint32_t index) const;

  const Topology& topology_;
  const Ordering& ordering_;
  const Choice& choice_;
  std::vector<Level> levels_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_BUDDY_BUDDY_BLOCKS_H_
