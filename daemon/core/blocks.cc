// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/blocks.h"

#include <algorithm>
#include <bit>

namespace coolspan {

std::uint32_t BlockOf(const Blocks& blocks, NodeId node) {
  const auto after = std::upper_bound(blocks.first_node.begin(),
                                      blocks.first_node.end(), node);
  return static_cast<std::uint32_t>(after - blocks.first_node.begin() - 1);
}

BlockRule RuleFor(const Blocks& blocks, NodeCount nodes) {
  const std::uint32_t base = (nodes - 1) / blocks.base_nodes + 1;
  const std::uint32_t needed = std::bit_ceil(base);
  const auto holds =
      std::lower_bound(blocks.sizes.begin(), blocks.sizes.end(), needed);
  BlockRule rule;
  // More nodes than the largest block has: all blocks are one.
  rule.block_size = holds == blocks.sizes.end() ? blocks.count() : *holds;
  if (holds != blocks.sizes.begin()) rule.part_size = *(holds - 1);
  rule.parts = rule.block_size / rule.part_size;
  rule.max_parts = (nodes - 1) / (rule.part_size * blocks.base_nodes) + 1;
  return rule;
}

}  // namespace coolspan
