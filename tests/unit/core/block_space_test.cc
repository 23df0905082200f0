// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace coolspan {
namespace {

using ::testing::ElementsAre;

Blocks EqualBlocks(std::uint32_t count, NodeCount nodes,
                   std::vector<std::uint32_t> sizes) {
  Blocks blocks;
  for (std::uint32_t b = 0; b <= count; ++b) {
    blocks.first_node.push_back(b * nodes);
  }
  blocks.base_nodes = nodes;
  blocks.sizes = std::move(sizes);
  return blocks;
}

TEST(BlockSpaceTest, SegmentsBySize) {
  Blocks blocks = EqualBlocks(3, 6, {1, 2});
  EXPECT_THAT(SegmentSizes(blocks), ElementsAre(1, 2, 4, 6));
  const NodeSet free(18, std::vector<NodeId>{0, 1, 2, 3, 4, 5, 6, 8, 9, 12});
  EXPECT_THAT(FreeByBlock(blocks, free), ElementsAre(6, 3, 1));
  BlockSpace space = BlockSpaceOf(blocks, FreeByBlock(blocks, free));
  EXPECT_EQ(space.idle_blocks, 1U);
  EXPECT_THAT(space.segments, ElementsAre(10, 4, 1, 1));
  // The first pair of blocks has 9; all blocks have 10, which needs two pairs.
  EXPECT_EQ(space.largest_job, 9U);
  EXPECT_EQ(CountSegments(blocks, FreeByBlock(blocks, free), 3), 3U);
  blocks.spare_nodes = 2;
  EXPECT_EQ(CountSegments(blocks, FreeByBlock(blocks, free), 3), 1U);
  space = BlockSpaceOf(blocks, FreeByBlock(blocks, free));
  EXPECT_EQ(space.idle_blocks, 1U);
  EXPECT_THAT(space.segments, ElementsAre(5, 2, 1, 0));
  EXPECT_EQ(space.largest_job, 4U);
}

TEST(BlockSpaceTest, NothingIsFree) {
  const Blocks blocks = EqualBlocks(2, 4, {1});
  const BlockSpace space = BlockSpaceOf(blocks, std::vector<NodeCount>{0, 0});
  EXPECT_EQ(space.largest_job, 0U);
  EXPECT_THAT(space.segments, ElementsAre(0, 0, 0));
}

// Whether a segment fits, by its definition.
bool Fits(const Blocks& blocks, const std::vector<NodeCount>& free,
          NodeCount nodes) {
  const BlockRule rule = RuleFor(blocks, nodes);
  for (std::uint32_t b = 0; b < blocks.count(); b += rule.block_size) {
    std::vector<NodeCount> parts;
    for (std::uint32_t p = b; p < std::min(b + rule.block_size, blocks.count());
         p += rule.part_size) {
      NodeCount sum = 0;
      for (std::uint32_t i = p;
           i < std::min(p + rule.part_size, blocks.count()); ++i) {
        sum += free[i];
      }
      parts.push_back(sum);
    }
    // Slurm leaves out a last part that is not whole.
    parts.resize(
        std::min<std::size_t>(parts.size(), rule.block_size / rule.part_size));
    std::sort(parts.rbegin(), parts.rend());
    NodeCount sum = 0;
    for (std::size_t i = 0; i < parts.size() && i < rule.max_parts; ++i) {
      sum += parts[i];
    }
    if (sum >= nodes) return true;
  }
  return false;
}

TEST(BlockSpaceTest, TheLargestJobIsTheLargestThatFits) {
  std::mt19937 random(3);
  const auto below = [&random](std::size_t end) {
    return static_cast<NodeCount>(random() % end);
  };
  const std::vector<std::vector<std::uint32_t>> sizes = {
      {1}, {1, 2}, {1, 4}, {1, 2, 4, 8}};
  for (int i = 0; i < 2000; ++i) {
    const NodeCount nodes = 1 + below(5);
    const Blocks blocks =
        EqualBlocks(1 + below(9), nodes, sizes[below(sizes.size())]);
    std::vector<NodeCount> free;
    NodeCount all = 0;
    for (std::uint32_t b = 0; b < blocks.count(); ++b) {
      free.push_back(below(nodes + 1));
      all += free.back();
    }
    NodeCount largest = all;
    while (largest > 0 && !Fits(blocks, free, largest)) --largest;
    ASSERT_EQ(BlockSpaceOf(blocks, free).largest_job, largest) << i;
  }
}

}  // namespace
}  // namespace coolspan
