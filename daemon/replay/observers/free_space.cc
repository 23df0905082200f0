// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/free_space.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "policy/buddy/buddy_blocks.h"
#include "replay/observers/largest_box.h"

namespace coolspan {
namespace {

constexpr Rank kBits = 64;

// Level 0 of BuddyBlocks, single nodes, differs from level 1 only if vertices
// have several nodes.
std::size_t FirstBlockLevel(const Grid& grid) {
  return grid.nodes_per_vertex > 1 ? 0 : 1;
}

}  // namespace

std::vector<NodeCount> FreeBlockSizes(const Topology& topology) {
  std::vector<NodeCount> sizes;
  const Grid* grid = topology.grid();
  if (grid == nullptr) return sizes;
  if (FirstBlockLevel(*grid) == 0) sizes.push_back(1);
  std::uint32_t shortest = 0;
  unsigned dimensions = 0;
  for (const std::uint32_t extent : grid->dims) {
    if (extent == 1) continue;
    shortest = dimensions == 0 ? extent : std::min(shortest, extent);
    ++dimensions;
  }
  std::uint64_t nodes = grid->nodes_per_vertex;
  sizes.push_back(static_cast<NodeCount>(nodes));
  for (; shortest >= 2; shortest /= 2) {
    nodes <<= dimensions;
    sizes.push_back(static_cast<NodeCount>(nodes));
  }
  return sizes;
}

class FreeSpaceMeter::Shape {
 public:
  Shape(const Machine& machine, const Ordering& ordering)
      : topology_(machine.topology()),
        ordering_(ordering),
        free_(NodeSet::All(machine.node_count())),
        free_at_(topology_.vertex_count(), 0),
        block_count_(FreeBlockSizes(topology_).size()) {
    for (NodeId node = 0; node < machine.node_count(); ++node) {
      ++free_at_[topology_.VertexOf(node)];
    }
    nodes_at_ = free_at_;
    first_link_.push_back(0);
    for (VertexId vertex = 0; vertex < topology_.vertex_count(); ++vertex) {
      topology_.AppendNeighbours(vertex, links_);
      first_link_.push_back(links_.size());
    }
  }

  void Set(NodeId node, bool is_free) {
    NodeCount& free_at = free_at_[topology_.VertexOf(node)];
    if (is_free) {
      free_.Insert(node);
      ++free_at;
    } else {
      free_.Erase(node);
      --free_at;
    }
  }

  FreeSpace::Shape Measure(NodeCount free_nodes) {
    FreeSpace::Shape shape;
    shape.largest_component = LargestComponent();
    if (const Grid* grid = topology_.grid()) {
      cells_.resize(free_at_.size());
      for (std::size_t v = 0; v < cells_.size(); ++v) {
        cells_[v] = nodes_at_[v] > 0 && free_at_[v] == nodes_at_[v] ? 1 : 0;
      }
      shape.largest_box = LargestFreeBox(*grid, cells_);
      shape.blocks = CountBlocks(*grid, free_nodes);
    }
    return shape;
  }

 private:
  NodeCount LargestComponent() {
    NodeCount largest = 0;
    is_open_.assign(free_at_.size(), true);
    for (VertexId start = 0; start < free_at_.size(); ++start) {
      NodeCount nodes = 0;
      const auto reach = [&](VertexId vertex) {
        if (!is_open_[vertex] || free_at_[vertex] == 0) return;
        is_open_[vertex] = false;
        nodes += free_at_[vertex];
        pending_.push_back(vertex);
      };
      reach(start);
      while (!pending_.empty()) {
        const VertexId vertex = pending_.back();
        pending_.pop_back();
        for (std::size_t i = first_link_[vertex]; i < first_link_[vertex + 1];
             ++i) {
          reach(links_[i]);
        }
      }
      largest = std::max(largest, nodes);
    }
    return largest;
  }

  std::vector<std::uint32_t> CountBlocks(const Grid& grid,
                                         NodeCount free_nodes) const {
    const NodeSet none(free_.size());
    const BuddyBlocks blocks(topology_, ordering_,
                             {.available = free_,
                              .required = none,
                              .required_count = 0,
                              .nodes = free_nodes,
                              .seed = 0});
    std::vector<std::uint32_t> counts(block_count_, 0);
    const std::size_t first = FirstBlockLevel(grid);
    for (std::size_t level = first; level < blocks.level_count(); ++level) {
      counts[level - first] =
          static_cast<std::uint32_t>(blocks.BlocksAtLevel(level));
    }
    return counts;
  }

  const Topology& topology_;
  const Ordering& ordering_;
  NodeSet free_;
  std::vector<NodeCount> free_at_;  // by vertex
  std::vector<NodeCount> nodes_at_;
  const std::size_t block_count_;
  // Neighbours of vertex v: links_ from first_link_[v] to first_link_[v + 1].
  std::vector<VertexId> links_;
  std::vector<std::size_t> first_link_;
  std::vector<bool> is_open_;
  std::vector<VertexId> pending_;
  std::vector<std::uint8_t> cells_;
};

FreeSpaceMeter::FreeSpaceMeter(const Machine& machine, const Ordering& ordering,
                               bool with_shape)
    : machine_(machine),
      ordering_(ordering),
      blocks_(machine.topology().blocks()),
      free_nodes_(machine.node_count()),
      free_ranks_((machine.node_count() + kBits - 1) / kBits, 0) {
  for (Rank rank = 0; rank < free_nodes_; ++rank) {
    free_ranks_[rank / kBits] |= std::uint64_t{1} << (rank % kBits);
  }
  if (blocks_ != nullptr) {
    free_in_block_ = FreeByBlock(*blocks_, NodeSet::All(machine.node_count()));
  }
  if (with_shape) shape_ = std::make_unique<Shape>(machine_, ordering_);
}

FreeSpaceMeter::~FreeSpaceMeter() = default;

void FreeSpaceMeter::Take(const std::vector<NodeId>& nodes) {
  for (const NodeId node : nodes) {
    const Rank rank = ordering_.RankOf(node);
    free_ranks_[rank / kBits] &= ~(std::uint64_t{1} << (rank % kBits));
    if (!free_in_block_.empty()) --free_in_block_[BlockOf(*blocks_, node)];
    if (shape_ != nullptr) shape_->Set(node, false);
  }
  free_nodes_ -= static_cast<NodeCount>(nodes.size());
}

void FreeSpaceMeter::Release(const std::vector<NodeId>& nodes) {
  for (const NodeId node : nodes) {
    const Rank rank = ordering_.RankOf(node);
    free_ranks_[rank / kBits] |= std::uint64_t{1} << (rank % kBits);
    if (!free_in_block_.empty()) ++free_in_block_[BlockOf(*blocks_, node)];
    if (shape_ != nullptr) shape_->Set(node, true);
  }
  free_nodes_ += static_cast<NodeCount>(nodes.size());
}

void FreeSpaceMeter::MeasureIntervals(FreeSpace& space) const {
  NodeCount length = 0;
  const auto close = [&] {
    if (length == 0) return;
    const auto bin = static_cast<std::size_t>(std::bit_width(length)) - 1;
    if (space.intervals.size() <= bin) space.intervals.resize(bin + 1, 0);
    ++space.intervals[bin];
    space.largest_interval = std::max(space.largest_interval, length);
    length = 0;
  };
  for (const std::uint64_t word : free_ranks_) {
    for (unsigned bit = 0; bit < kBits;) {
      const std::uint64_t rest = word >> bit;
      const auto taken = static_cast<unsigned>(
          std::min<int>(std::countr_zero(rest), static_cast<int>(kBits - bit)));
      if (taken > 0) close();
      bit += taken;
      if (bit == kBits) break;
      const auto free = static_cast<unsigned>(std::countr_one(word >> bit));
      length += free;
      bit += free;
    }
  }
  close();
}

FreeSpace FreeSpaceMeter::Measure() {
  FreeSpace space;
  MeasureIntervals(space);
  if (blocks_ != nullptr) {
    space.block_space = BlockSpaceOf(*blocks_, free_in_block_);
  }
  if (shape_ != nullptr) space.shape = shape_->Measure(free_nodes_);
  return space;
}

}  // namespace coolspan
