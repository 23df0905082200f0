// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/switch_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "topology/block_tree.h"
#include "topology/fat_tree.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;

// Leaves of 3 and 1 nodes below switch 4, of 2 and 2 below 5.
TEST(SwitchSpaceTest, IdleSwitchesByLevel) {
  const auto tree =
      MakeFatTree({{4, 4, 5, 5, 6, 6, 6}, {3, 1, 2, 2, 0, 0, 0}}).value();
  const auto levels = [&](std::vector<NodeCount> free_at) {
    free_at.resize(7, 0);
    std::vector<std::pair<std::uint32_t, NodeCount>> found;
    for (const SwitchSpace::Level& level :
         SwitchSpaceOf(*tree, free_at).levels) {
      found.emplace_back(level.idle, level.largest);
    }
    return found;
  };
  EXPECT_THAT(levels({3, 1, 2, 2}),
              ElementsAre(std::pair(4U, 3U), std::pair(2U, 4U)));
  EXPECT_THAT(levels({2, 1, 2, 2}),
              ElementsAre(std::pair(3U, 2U), std::pair(1U, 4U)));
  EXPECT_THAT(levels({3, 0, 1, 1}),
              ElementsAre(std::pair(1U, 3U), std::pair(0U, 3U)));
  EXPECT_THAT(levels({0, 0, 0, 0}),
              ElementsAre(std::pair(0U, 0U), std::pair(0U, 0U)));
}

TEST(SwitchSpaceTest, LeavesDirectlyBelowTheTopAreLeaves) {
  const auto tree = MakeFatTree({{2, 3, 3, 3}, {2, 4, 0, 0}}).value();
  const std::vector<NodeCount> free_at = {2, 3, 0, 0};
  EXPECT_THAT(SwitchSpaceOf(*tree, free_at).levels,
              ElementsAre(SwitchSpace::Level{1, 3}, SwitchSpace::Level{1, 2}));
}

TEST(SwitchSpaceTest, OneSwitchIsALeaf) {
  const auto tree = MakeFatTree({{0}, {5}}).value();
  const std::vector<NodeCount> free_at = {4};
  EXPECT_THAT(SwitchSpaceOf(*tree, free_at).levels,
              ElementsAre(SwitchSpace::Level{0, 4}));
}

TEST(SwitchSpaceTest, BlocksOfEachSizeAreALevel) {
  Blocks blocks;
  blocks.first_node = {0, 4, 8, 12, 16, 20, 24};
  blocks.base_nodes = 4;
  blocks.sizes = {1, 2};
  const auto tree = MakeBlockTree(std::move(blocks)).value();
  std::vector<NodeCount> free_at = {4, 4, 3, 4, 4, 4};
  free_at.resize(tree->vertex_count(), 0);
  EXPECT_THAT(SwitchSpaceOf(*tree, free_at).levels,
              ElementsAre(SwitchSpace::Level{5, 4}, SwitchSpace::Level{2, 8}));
}

}  // namespace
}  // namespace coolspan
