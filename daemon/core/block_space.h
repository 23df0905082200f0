// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_BLOCK_SPACE_H_
#define COOLSPAN_CORE_BLOCK_SPACE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/blocks.h"
#include "core/node_set.h"
#include "core/types.h"

namespace coolspan {

// What free nodes are left for jobs with segments.
struct BlockSpace {
  std::uint32_t idle_blocks = 0;  // base blocks of which all nodes are free
  // By entry of SegmentSizes: how many segments of that size fit, in jobs of
  // that size alone.
  std::vector<std::uint32_t> segments;
  NodeCount largest_job = 0;  // that fits as one segment

  friend bool operator==(const BlockSpace&, const BlockSpace&) = default;
};

// 1, 2, 4, ... up to the nodes of a base block, and those.
std::vector<NodeCount> SegmentSizes(const Blocks& blocks);

// The free nodes of each base block.
std::vector<NodeCount> FreeByBlock(const Blocks& blocks, const NodeSet& free);

// How many segments of that size fit, in jobs of that size alone. free: as of
// FreeByBlock; spare nodes are subtracted. REQUIRES a size of 1 to base_nodes.
std::uint32_t CountSegments(const Blocks& blocks,
                            std::span<const NodeCount> free, NodeCount size);

// free: as of FreeByBlock; spare nodes are subtracted, except for idle_blocks.
// O(base blocks * sizes), and a sort of each block.
BlockSpace BlockSpaceOf(const Blocks& blocks, std::span<const NodeCount> free);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_BLOCK_SPACE_H_
