// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/dragonfly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/topology/topology_oracle.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::vector<VertexId> NeighboursOf(const Topology& topology, VertexId vertex) {
  std::vector<VertexId> neighbours;
  topology.AppendNeighbours(vertex, neighbours);
  return neighbours;
}

// Nine groups of four routers, each with two global links. Those of router 0 of
// group 0 lead to groups 1 and 2, which see group 0 over their links 7 and 6.
TEST(DragonflyTest, LinksAreInRelativeArrangement) {
  const auto fly = MakeDragonfly({9, 4, 2}).value();
  EXPECT_EQ(fly->kind(), "dragonfly");
  EXPECT_EQ(fly->node_count(), 72U);
  EXPECT_EQ(fly->vertex_count(), 36U);
  EXPECT_EQ(fly->VertexOf(71), 35U);
  EXPECT_EQ(fly->grid(), nullptr);
  EXPECT_THAT(NeighboursOf(*fly, 0), UnorderedElementsAre(1, 2, 3, 7, 11));
  EXPECT_THAT(NeighboursOf(*fly, 3), UnorderedElementsAre(0, 1, 2, 28, 32));
}

TEST(DragonflyTest, Distances) {
  const auto fly = MakeDragonfly({9, 4, 2}).value();
  EXPECT_EQ(fly->Distance(0, 1), 0U);
  EXPECT_EQ(fly->VertexDistance(0, 3), 1U);
  EXPECT_EQ(fly->VertexDistance(0, 7), 1U);
  EXPECT_EQ(fly->VertexDistance(1, 7), 2U);
  EXPECT_EQ(fly->VertexDistance(0, 4), 2U);
  EXPECT_EQ(fly->VertexDistance(1, 6), 3U);
  // A router of group 4 has links to both.
  EXPECT_EQ(fly->VertexDistance(1, 5), 2U);
}

TEST(DragonflyTest, PathsThroughAThirdGroupMayBeShorter) {
  // One router per group, linked to all other groups.
  const auto fly = MakeDragonfly({4, 1, 1}).value();
  EXPECT_EQ(fly->VertexDistance(0, 2), 1U);
  bool shorter = false;
  const auto wide = MakeDragonfly({13, 3, 1}).value();
  for (VertexId a = 0; a < 39; ++a) {
    std::vector<VertexId> groups_next;
    for (const VertexId n : NeighboursOf(*wide, a))
      groups_next.push_back(n / 3);
    for (VertexId b = 0; b < 39; ++b) {
      if (wide->VertexDistance(a, b) != 2) continue;
      // Neither router is at the direct link of the two groups.
      std::vector<VertexId> back;
      for (const VertexId n : NeighboursOf(*wide, b)) back.push_back(n / 3);
      shorter = shorter || (a / 3 != b / 3 &&
                            std::count(groups_next.begin(), groups_next.end(),
                                       b / 3) == 0 &&
                            std::count(back.begin(), back.end(), a / 3) == 0);
    }
  }
  EXPECT_TRUE(shorter);
}

TEST(DragonflyTest, IsConsistent) {
  for (std::uint64_t groups = 1; groups <= 14; ++groups) {
    for (const std::uint64_t routers : {1, 2, 3, 4, 7}) {
      ExpectConsistent(
          *MakeDragonfly({groups, routers, 1 + groups % 3}).value(), ~0U,
          static_cast<unsigned>(groups));
    }
  }
  ExpectConsistent(*MakeDragonfly({33, 8, 4}).value());
  ExpectConsistent(*MakeDragonfly({100, 2, 1}).value());
}

// All groups are alike, so the pairs of one group with all nodes are enough.
TEST(DragonflyTest, PairwiseTotalOfALargeDragonfly) {
  const auto fly = MakeDragonfly({129, 16, 8}).value();
  std::vector<NodeId> all(fly->node_count());
  for (NodeId node = 0; node < all.size(); ++node) all[node] = node;
  std::uint64_t from_first = 0;
  for (const NodeId node : all) from_first += fly->Distance(0, node);
  std::uint64_t of_group = 0;
  for (NodeId node = 0; node < 16 * 8; ++node) {
    for (const NodeId other : all) of_group += fly->Distance(node, other);
  }
  EXPECT_GT(from_first, 0U);
  EXPECT_EQ(2 * fly->PairwiseTotal(all), of_group * 129);
}

TEST(DragonflyTest, RefusesInvalidSizes) {
  const auto error = [](DragonflySize size) {
    return std::string(MakeDragonfly(size).status().message());
  };
  EXPECT_THAT(error({0, 4, 4}), HasSubstr("at least 1"));
  EXPECT_THAT(error({4, 0, 4}), HasSubstr("at least 1"));
  EXPECT_THAT(error({4, 4, 0}), HasSubstr("at least 1"));
  EXPECT_THAT(error({1'000'000'000, 4, 1}), HasSubstr("4194304 vertices"));
  const std::uint64_t huge = ~std::uint64_t{0};
  EXPECT_THAT(error({huge, huge, huge}), HasSubstr("4194304 vertices"));
  EXPECT_THAT(error({1024, 1024, 5}), HasSubstr("4194304 nodes"));
  EXPECT_TRUE(MakeDragonfly({1024, 1024, 4}).ok());
}

}  // namespace
}  // namespace coolspan
