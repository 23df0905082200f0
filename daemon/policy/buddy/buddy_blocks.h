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

// The free nodes of a machine as a set of the largest aligned blocks of 2^i
// cells per dimension that are entirely free: the result of splitting blocks
// into their 2^d buddies wherever nodes are taken (Lo et al., IEEE TPDS 8(7),
// 1997; cited by cpa-rd100-cplant-bender).
//
// Cells are vertices, or ranks of the ordering if the topology has no
// coordinates; dimensions of extent 1 are ignored. Level 0 has single nodes,
// level i + 1 blocks of 2^i cells per dimension. The free nodes of a partly
// free vertex are at level 0. If an extent is not a power of two, only blocks
// that lie entirely inside it exist.
class BuddyBlocks {
 public:
  struct Block {
    std::size_t level;
    std::uint32_t index;  // level 0: the node; else row-major in its level
    NodeCount required;   // number of required nodes in it
  };

  // The arguments must outlive this. O(nodes of the machine).
  BuddyBlocks(const Topology& topology, const Ordering& ordering,
              const Choice& choice);

  std::size_t level_count() const { return levels_.size(); }
  NodeCount NodesOf(const Block& block) const {
    return levels_[block.level].nodes;
  }
  NodeCount NodesAtLevel(std::size_t level) const {
    return levels_[level].nodes;
  }
  // The number of blocks of the level in the set now.
  std::size_t BlocksAtLevel(std::size_t level) const {
    return levels_[level].blocks.size();
  }

  // Removes and returns a block of the lowest level >= min_level that has a
  // block with required nodes, or else of the lowest that has any block: the
  // block with the most required nodes, then with the smallest index. nullopt:
  // these levels are empty.
  std::optional<Block> Pop(std::size_t min_level);
  // Reinserts a popped block.
  void PutBack(const Block& block) { levels_[block.level].blocks.push(block); }
  // Inserts the buddies of a popped block. REQUIRES level > 0.
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
    std::vector<NodeCount> required;     // by block; empty: none in the request
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
