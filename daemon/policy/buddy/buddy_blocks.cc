// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/buddy/buddy_blocks.h"

#include <algorithm>
#include <utility>

namespace coolspan {
namespace {

// Iterates over the blocks of a level in row-major order with their parents.
class ParentWalk {
 public:
  ParentWalk(const std::vector<std::uint32_t>& extents,
             const std::vector<std::uint32_t>& parent_extents)
      : extents_(extents),
        parent_extents_(parent_extents),
        at_(extents.size(), 0) {}

  // nullopt: the parent would extend past the grid, so it does not exist.
  std::optional<std::uint32_t> Parent() const {
    std::uint32_t parent = 0;
    for (std::size_t i = extents_.size(); i-- > 0;) {
      if (at_[i] / 2 >= parent_extents_[i]) return std::nullopt;
      parent = parent * parent_extents_[i] + at_[i] / 2;
    }
    return parent;
  }
  void Next() {
    for (std::size_t i = 0; i < at_.size() && ++at_[i] == extents_[i]; ++i) {
      at_[i] = 0;
    }
  }

 private:
  const std::vector<std::uint32_t>& extents_;
  const std::vector<std::uint32_t>& parent_extents_;
  std::vector<std::uint32_t> at_;
};

std::size_t Product(const std::vector<std::uint32_t>& extents) {
  std::size_t product = 1;
  for (const std::uint32_t extent : extents) product *= extent;
  return product;
}

}  // namespace

BuddyBlocks::BuddyBlocks(const Topology& topology, const Ordering& ordering,
                         const Choice& choice)
    : topology_(topology), ordering_(ordering), choice_(choice) {
  levels_.emplace_back();
  levels_.push_back(CellLevel());
  while (std::all_of(levels_.back().extents.begin(),
                     levels_.back().extents.end(),
                     [](std::uint32_t extent) { return extent >= 2; })) {
    Level next = NextLevel(levels_.back());
    if (std::find(next.free.begin(), next.free.end(), true) ==
        next.free.end()) {
      break;
    }
    levels_.push_back(std::move(next));
  }
  CollectBlocks();
}

std::uint32_t BuddyBlocks::CellOf(NodeId node) const {
  return topology_.grid() != nullptr ? topology_.VertexOf(node)
                                     : ordering_.RankOf(node);
}

Topology::NodeRange BuddyBlocks::NodesAtCell(std::uint32_t cell) const {
  if (topology_.grid() != nullptr) return topology_.NodesAt(cell);
  return {ordering_.NodeAt(cell), 1};
}

BuddyBlocks::Level BuddyBlocks::CellLevel() const {
  Level level;
  NodeCount cell_nodes = 1;
  if (const Grid* grid = topology_.grid()) {
    cell_nodes = grid->nodes_per_vertex;
    for (const std::uint32_t extent : grid->dims) {
      if (extent > 1) level.extents.push_back(extent);
    }
  } else {
    level.extents.push_back(ordering_.size());
  }
  if (level.extents.empty()) level.extents.push_back(1);
  level.nodes = cell_nodes;

  const std::size_t cells = Product(level.extents);
  std::vector<NodeCount> free_nodes(cells, 0);
  choice_.available.ForEach([&](NodeId node) { ++free_nodes[CellOf(node)]; });
  level.free.resize(cells);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    level.free[cell] = free_nodes[cell] == cell_nodes;
  }
  if (choice_.required_count > 0) {
    level.required.resize(cells, 0);
    choice_.required.ForEach(
        [&](NodeId node) { ++level.required[CellOf(node)]; });
  }
  return level;
}

BuddyBlocks::Level BuddyBlocks::NextLevel(const Level& below) const {
  Level level;
  level.nodes = below.nodes;
  for (const std::uint32_t extent : below.extents) {
    level.extents.push_back(extent / 2);
    level.nodes *= 2;
  }
  level.free.resize(Product(level.extents), true);
  if (!below.required.empty()) level.required.resize(level.free.size(), 0);
  ParentWalk walk(below.extents, level.extents);
  for (std::size_t block = 0; block < below.free.size(); ++block) {
    if (const std::optional<std::uint32_t> parent = walk.Parent()) {
      if (!below.free[block]) level.free[*parent] = false;
      if (!below.required.empty()) {
        level.required[*parent] += below.required[block];
      }
    }
    walk.Next();
  }
  return level;
}

void BuddyBlocks::CollectBlocks() {
  const std::vector<std::uint32_t> none(levels_[1].extents.size(), 0);
  for (std::size_t i = 1; i < levels_.size(); ++i) {
    const bool top = i + 1 == levels_.size();
    ParentWalk walk(levels_[i].extents, top ? none : levels_[i + 1].extents);
    std::vector<Block> blocks;
    for (std::uint32_t index = 0; index < levels_[i].free.size(); ++index) {
      const std::optional<std::uint32_t> parent = walk.Parent();
      if (levels_[i].free[index] &&
          (!parent || !levels_[i + 1].free[*parent])) {
        blocks.push_back(BlockAt(i, index));
      }
      walk.Next();
    }
    levels_[i].blocks = Queue(Later(), std::move(blocks));
  }
  std::vector<Block> singles;
  choice_.available.ForEach([&](NodeId node) {
    if (!levels_[1].free[CellOf(node)]) singles.push_back(BlockAt(0, node));
  });
  levels_[0].blocks = Queue(Later(), std::move(singles));
}

BuddyBlocks::Block BuddyBlocks::BlockAt(std::size_t level,
                                        std::uint32_t index) const {
  NodeCount required = 0;
  if (choice_.required_count > 0) {
    required = level == 0 ? NodeCount{choice_.required.Contains(index)}
                          : levels_[level].required[index];
  }
  return {level, index, required};
}

std::optional<BuddyBlocks::Block> BuddyBlocks::Pop(std::size_t min_level) {
  std::size_t source = levels_.size();
  for (std::size_t i = min_level; i < levels_.size(); ++i) {
    if (levels_[i].blocks.empty()) continue;
    if (levels_[i].blocks.top().required > 0) {
      source = i;
      break;
    }
    source = std::min(source, i);
  }
  if (source == levels_.size()) return std::nullopt;
  const Block block = levels_[source].blocks.top();
  levels_[source].blocks.pop();
  return block;
}

template <typename Visitor>
void BuddyBlocks::ForEachBuddy(const Block& block, const Visitor& visit) const {
  if (block.level == 1) {
    const Topology::NodeRange range = NodesAtCell(block.index);
    for (NodeCount i = 0; i < range.count; ++i) visit(range.first + i);
    return;
  }
  const std::vector<std::uint32_t>& extents = levels_[block.level].extents;
  const std::vector<std::uint32_t>& below = levels_[block.level - 1].extents;
  for (std::uint32_t corner = 0; corner >> extents.size() == 0; ++corner) {
    std::uint32_t rest = block.index;
    std::uint32_t stride = 1;
    std::uint32_t buddy = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      buddy += (2 * (rest % extents[i]) + (corner >> i & 1)) * stride;
      rest /= extents[i];
      stride *= below[i];
    }
    visit(buddy);
  }
}

void BuddyBlocks::Split(const Block& block) {
  ForEachBuddy(block, [&](std::uint32_t buddy) {
    PutBack(BlockAt(block.level - 1, buddy));
  });
}

void BuddyBlocks::AppendNodes(const Block& block,
                              std::vector<NodeId>& nodes) const {
  if (block.level == 0) {
    nodes.push_back(block.index);
    return;
  }
  ForEachBuddy(block, [&](std::uint32_t buddy) {
    AppendNodes({block.level - 1, buddy, 0}, nodes);
  });
}

}  // namespace coolspan
