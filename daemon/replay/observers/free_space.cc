// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/free_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "locality/interval_space.h"
#include "locality/largest_box.h"
#include "policy/buddy/buddy_blocks.h"

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

std::vector<std::string> SpaceNames(const FreeSpace& space,
                                    const Topology& topology) {
  std::vector<std::string> names = {"free_intervals", "largest_free_interval"};
  if (space.largest_box.has_value()) names.emplace_back("largest_free_box");
  if (space.block_space.has_value()) {
    names.insert(names.end(), {"largest_job", "idle_blocks"});
    for (const NodeCount size : SegmentSizes(*topology.blocks())) {
      names.push_back(fmt::format("idle_segments_{}", size));
    }
  }
  if (space.switch_space.has_value()) {
    for (std::size_t i = 0; i < space.switch_space->levels.size(); ++i) {
      names.push_back(fmt::format("largest_switch_{}", i));
      names.push_back(fmt::format("idle_switches_{}", i));
    }
  }
  return names;
}

std::vector<double> SpaceValues(const FreeSpace& space) {
  std::vector<double> values = {
      static_cast<double>(std::accumulate(
          space.intervals.begin(), space.intervals.end(), std::uint64_t{0})),
      static_cast<double>(space.largest_interval)};
  if (space.largest_box.has_value()) {
    values.push_back(static_cast<double>(*space.largest_box));
  }
  if (space.block_space.has_value()) {
    values.push_back(space.block_space->largest_job);
    values.push_back(space.block_space->idle_blocks);
    values.insert(values.end(), space.block_space->segments.begin(),
                  space.block_space->segments.end());
  }
  if (space.switch_space.has_value()) {
    for (const SwitchSpace::Level& level : space.switch_space->levels) {
      values.push_back(level.largest);
      values.push_back(level.idle);
    }
  }
  return values;
}

class FreeSpaceMeter::Shape {
 public:
  // free_at: by vertex; must outlive the object.
  Shape(const Machine& machine, const Ordering& ordering,
        const std::vector<NodeCount>& free_at)
      : topology_(machine.topology()),
        ordering_(ordering),
        free_(NodeSet::All(machine.node_count())),
        free_at_(free_at),
        block_count_(FreeBlockSizes(topology_).size()) {
    first_link_.push_back(0);
    for (VertexId vertex = 0; vertex < topology_.vertex_count(); ++vertex) {
      topology_.AppendNeighbours(vertex, links_);
      first_link_.push_back(links_.size());
    }
  }

  void Set(NodeId node, bool is_free) {
    if (is_free) {
      free_.Insert(node);
    } else {
      free_.Erase(node);
    }
  }

  FreeSpace::Shape Measure(NodeCount free_nodes) {
    FreeSpace::Shape shape;
    shape.largest_component = LargestComponent();
    if (const Grid* grid = topology_.grid()) {
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
  const std::vector<NodeCount>& free_at_;
  const std::size_t block_count_;
  // Neighbours of vertex v: links_ from first_link_[v] to first_link_[v + 1].
  std::vector<VertexId> links_;
  std::vector<std::size_t> first_link_;
  std::vector<bool> is_open_;
  std::vector<VertexId> pending_;
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
  const Topology& topology = machine.topology();
  has_box_ = topology.grid() != nullptr &&
             (with_shape || topology.vertex_count() <= kMaxVerticesOfBox);
  if (with_shape || has_box_ || topology.switches() != nullptr) {
    for (VertexId v = 0; v < topology.vertex_count(); ++v) {
      free_at_.push_back(topology.NodesAt(v).count);
    }
  }
  if (with_shape) {
    shape_ = std::make_unique<Shape>(machine_, ordering_, free_at_);
  }
}

FreeSpaceMeter::~FreeSpaceMeter() = default;

void FreeSpaceMeter::Set(NodeId node, bool is_free) {
  const Rank rank = ordering_.RankOf(node);
  const std::uint64_t bit = std::uint64_t{1} << (rank % kBits);
  const auto change = [is_free](NodeCount& count) {
    count += is_free ? 1 : -1;
  };
  if (is_free) {
    free_ranks_[rank / kBits] |= bit;
  } else {
    free_ranks_[rank / kBits] &= ~bit;
  }
  if (!free_in_block_.empty()) change(free_in_block_[BlockOf(*blocks_, node)]);
  if (!free_at_.empty()) change(free_at_[machine_.topology().VertexOf(node)]);
  if (shape_ != nullptr) shape_->Set(node, is_free);
}

void FreeSpaceMeter::Take(const std::vector<NodeId>& nodes) {
  for (const NodeId node : nodes) Set(node, false);
  free_nodes_ -= static_cast<NodeCount>(nodes.size());
}

void FreeSpaceMeter::Release(const std::vector<NodeId>& nodes) {
  for (const NodeId node : nodes) Set(node, true);
  free_nodes_ += static_cast<NodeCount>(nodes.size());
}

FreeSpace FreeSpaceMeter::Measure() {
  FreeSpace space;
  IntervalSpace intervals = IntervalSpaceOf(free_ranks_);
  space.intervals = std::move(intervals.by_length);
  space.largest_interval = intervals.largest;
  const Topology& topology = machine_.topology();
  if (has_box_) space.largest_box = LargestFreeBox(topology, free_at_);
  if (blocks_ != nullptr) {
    space.block_space = BlockSpaceOf(*blocks_, free_in_block_);
  }
  if (topology.switches() != nullptr) {
    space.switch_space = SwitchSpaceOf(topology, free_at_);
  }
  if (shape_ != nullptr) space.shape = shape_->Measure(free_nodes_);
  return space;
}

}  // namespace coolspan
