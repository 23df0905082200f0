// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/nodes_by_vertex.h"

#include <gtest/gtest.h>

#include <array>

#include "unit/core/line_machine.h"

namespace coolspan {
namespace {

TEST(NodesByVertexTest, NumbersNodesVertexByVertex) {
  const NodesByVertex nodes(std::array<NodeCount, 5>{0, 2, 0, 1, 0});
  EXPECT_EQ(nodes.vertex_count(), 5U);
  EXPECT_EQ(nodes.node_count(), 3U);
  EXPECT_EQ(nodes.VertexOf(1), 1U);
  EXPECT_EQ(nodes.VertexOf(2), 3U);
  EXPECT_EQ(nodes.At(1).first, 0U);
  EXPECT_EQ(nodes.At(1).count, 2U);
  EXPECT_EQ(nodes.At(2).count, 0U);
  EXPECT_EQ(nodes.At(3).first, 2U);
  EXPECT_EQ(nodes.At(4).count, 0U);
}

TEST(NodesByVertexTest, SharesAreAscendingAndOnce) {
  const LineTopology line(9);
  const auto shares = SharesOf(line, std::array<NodeId, 5>{7, 2, 2, 7, 0});
  ASSERT_EQ(shares.size(), 3U);
  EXPECT_EQ(shares[0].vertex, 0U);
  EXPECT_EQ(shares[1].vertex, 2U);
  EXPECT_EQ(shares[1].nodes, 2U);
  EXPECT_EQ(shares[2].vertex, 7U);
  EXPECT_EQ(shares[2].nodes, 2U);
  EXPECT_TRUE(SharesOf(line, {}).empty());
  EXPECT_EQ(PairwiseTotalOfShares(line, shares), 2U * 2 + 7U * 2 + 5U * 4);
}

TEST(NodesByVertexTest, ChecksSizes) {
  EXPECT_TRUE(CheckSize(kMaxVertices, kMaxVertices).ok());
  EXPECT_FALSE(CheckSize(std::uint64_t{kMaxVertices} + 1, 1).ok());
  EXPECT_FALSE(CheckSize(1, std::uint64_t{kMaxVertices} + 1).ok());
  EXPECT_FALSE(CheckSize(1, 0).ok());
}

}  // namespace
}  // namespace coolspan
