// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block_space.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>

namespace coolspan {
namespace {

// The largest segment that fits into parts with these free nodes and needs a
// block of their size: more than `above` nodes, and of each part_nodes begun,
// one part.
NodeCount LargestIn(std::vector<NodeCount> parts, NodeCount part_nodes,
                    NodeCount above) {
  std::sort(parts.begin(), parts.end(), std::greater<>());
  NodeCount largest = 0;
  NodeCount free = 0;
  NodeCount limit = 0;
  for (const NodeCount part : parts) {
    free += part;
    limit += part_nodes;
    const NodeCount nodes = std::min(free, limit);
    // Fewer nodes need fewer parts.
    if (nodes > std::max(above, limit - part_nodes)) largest = nodes;
  }
  return largest;
}

}  // namespace

std::vector<NodeCount> SegmentSizes(const Blocks& blocks) {
  std::vector<NodeCount> sizes;
  for (NodeCount size = 1; size < blocks.base_nodes; size *= 2) {
    sizes.push_back(size);
  }
  sizes.push_back(blocks.base_nodes);
  return sizes;
}

std::vector<NodeCount> FreeByBlock(const Blocks& blocks, const NodeSet& free) {
  std::vector<NodeCount> counts(blocks.count(), 0);
  std::uint32_t block = 0;
  free.ForEach([&](NodeId node) {
    while (node >= blocks.first_node[block + 1]) ++block;
    ++counts[block];
  });
  return counts;
}

std::uint32_t CountSegments(const Blocks& blocks,
                            std::span<const NodeCount> free, NodeCount size) {
  std::uint32_t count = 0;
  for (const NodeCount nodes : free) {
    count += (nodes - std::min(nodes, blocks.spare_nodes)) / size;
  }
  return count;
}

BlockSpace BlockSpaceOf(const Blocks& blocks, std::span<const NodeCount> free) {
  BlockSpace space;
  std::vector<NodeCount> left(free.begin(), free.end());
  for (std::uint32_t b = 0; b < blocks.count(); ++b) {
    const NodeCount nodes = blocks.first_node[b + 1] - blocks.first_node[b];
    space.idle_blocks += free[b] == nodes ? 1 : 0;
    left[b] -= std::min(left[b], blocks.spare_nodes);
  }
  for (const NodeCount size : SegmentSizes(blocks)) {
    space.segments.push_back(CountSegments(blocks, free, size));
  }
  // Base blocks of a part and of a block, for segments of up to that size.
  std::vector<std::uint32_t> sizes = blocks.sizes;
  if (sizes.back() < blocks.count()) sizes.push_back(blocks.count());
  std::uint32_t part_size = 1;
  for (const std::uint32_t size : sizes) {
    const NodeCount above = size == 1 ? 0 : part_size * blocks.base_nodes;
    for (std::uint32_t b = 0; b < blocks.count(); b += size) {
      std::vector<NodeCount> parts;
      const std::uint32_t end = std::min(b + size, blocks.count());
      // A last part that is not whole does not count (BlockRule).
      const std::uint32_t whole_parts = size / part_size;
      for (std::uint32_t p = b; p < end && parts.size() < whole_parts;
           p += part_size) {
        const auto first = left.begin() + p;
        const auto last = left.begin() + std::min(p + part_size, end);
        parts.push_back(std::accumulate(first, last, NodeCount{0}));
      }
      space.largest_job = std::max(
          space.largest_job,
          LargestIn(std::move(parts), part_size * blocks.base_nodes, above));
    }
    part_size = size;
  }
  return space;
}

}  // namespace coolspan
