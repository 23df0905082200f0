// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/fat_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "unit/topology/topology_oracle.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

// Leaves 0 and 1 below switch 4, leaves 2 and 3 below switch 5, 4 and 5
// below 6.
SwitchTree TwoLevels() {
  return {{4, 4, 5, 5, 6, 6, 6}, {3, 1, 2, 2, 0, 0, 0}};
}

TEST(FatTreeTest, CountsHopsBetweenSwitches) {
  const auto tree = MakeFatTree(TwoLevels()).value();
  EXPECT_EQ(tree->kind(), "fat-tree");
  EXPECT_EQ(tree->node_count(), 8U);
  EXPECT_EQ(tree->vertex_count(), 7U);
  EXPECT_EQ(tree->grid(), nullptr);
  EXPECT_EQ(tree->Distance(0, 2), 0U);
  EXPECT_EQ(tree->Distance(0, 3), 2U);
  EXPECT_EQ(tree->Distance(3, 7), 4U);
  EXPECT_EQ(tree->VertexDistance(0, 4), 1U);
  EXPECT_EQ(tree->VertexDistance(6, 3), 2U);
  EXPECT_EQ(tree->NodesAt(5).count, 0U);
  std::vector<VertexId> neighbours;
  tree->AppendNeighbours(5, neighbours);
  EXPECT_THAT(neighbours, UnorderedElementsAre(2, 3, 6));
}

TEST(FatTreeTest, KnowsTheOrderOfItsFile) {
  SwitchTree tree = TwoLevels();
  EXPECT_THAT(MakeFatTree(tree).value()->switches()->listed,
              ElementsAre(0, 1, 2, 3, 4, 5, 6));
  tree.listed = {6, 4, 5, 3, 2, 1, 0};
  const auto listed = MakeFatTree(tree).value();
  EXPECT_EQ(listed->switches()->listed, tree.listed);
  EXPECT_EQ(listed->switches()->parent, tree.parent);
  EXPECT_FALSE(listed->switches()->HasImpliedTop());
  tree.listed = {4, 5, 3, 2, 1, 0};
  EXPECT_TRUE(MakeFatTree(tree).value()->switches()->HasImpliedTop());
}

TEST(FatTreeTest, OneSwitchIsATree) {
  const auto tree = MakeFatTree({{0}, {5}}).value();
  EXPECT_EQ(tree->Distance(0, 4), 0U);
  ExpectConsistent(*tree);
}

TEST(FatTreeTest, IsConsistent) {
  ExpectConsistent(*MakeFatTree(TwoLevels()).value());
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    SwitchTree tree;
    const VertexId switches = 1 + Below(random, 60);
    for (VertexId v = 0; v < switches; ++v) {
      const VertexId above = switches - 1 - v;
      tree.parent.push_back(above == 0 ? v : v + 1 + Below(random, above));
      tree.nodes_at.push_back(Below(random, 3) == 0 ? 0 : Below(random, 9));
    }
    tree.nodes_at.front() += 1;
    ExpectConsistent(*MakeFatTree(tree).value(), ~0U, seed);
  }
}

TEST(FatTreeTest, DeepTreesWork) {
  SwitchTree chain;
  constexpr VertexId kSwitches = 200'000;
  for (VertexId v = 0; v < kSwitches; ++v) {
    chain.parent.push_back(std::min(v + 1, kSwitches - 1));
    chain.nodes_at.push_back(1);
  }
  const auto tree = MakeFatTree(chain).value();
  EXPECT_EQ(tree->Distance(0, kSwitches - 1), kSwitches - 1);
  std::vector<NodeId> all(kSwitches);
  for (NodeId node = 0; node < kSwitches; ++node) all[node] = node;
  const std::uint64_t n = kSwitches;
  EXPECT_EQ(tree->PairwiseTotal(all), (n * n * n - n) / 6);
}

std::string ErrorOf(SwitchTree tree) {
  const auto made = MakeFatTree(std::move(tree));
  EXPECT_FALSE(made.ok());
  return std::string(made.status().message());
}

TEST(FatTreeTest, RefusesInvalidTrees) {
  EXPECT_THAT(ErrorOf({{1, 0}, {1, 1}}), HasSubstr("switch 1"));
  EXPECT_THAT(ErrorOf({{0, 1}, {1, 1}}), HasSubstr("switch 0"));
  EXPECT_THAT(ErrorOf({{2, 1}, {1, 1}}), HasSubstr("switch 0"));
  EXPECT_THAT(ErrorOf({{1, 1}, {1}}), HasSubstr("1 of 2 switches"));
  EXPECT_THAT(ErrorOf({{1, 1}, {0, 0}}), HasSubstr("no vertex has a node"));
  EXPECT_THAT(ErrorOf({{1, 1}, {1, 1}, {0, 0}}), HasSubstr("listed twice"));
  EXPECT_THAT(ErrorOf({{1, 1}, {1, 1}, {0, 2}}), HasSubstr("does not exist"));
  EXPECT_THAT(ErrorOf({{1, 1}, {1, 1}, {1}}), HasSubstr("0 is not listed"));
  EXPECT_THAT(ErrorOf({}), HasSubstr("no vertex has a node"));
  EXPECT_THAT(ErrorOf({{1, 1}, {kMaxVertices, 1}}), HasSubstr("4194304 nodes"));
}

}  // namespace
}  // namespace coolspan
