// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/node_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

NodeSet Of(NodeCount size, std::vector<NodeId> members) {
  return NodeSet(size, members);
}

TEST(NodeSetTest, StartsEmpty) {
  const NodeSet set(130);
  EXPECT_EQ(set.size(), 130U);
  EXPECT_TRUE(set.Empty());
  EXPECT_EQ(set.Count(), 0U);
  EXPECT_EQ(set.FindNext(0), 130U);
}

TEST(NodeSetTest, HasNoNodesWithoutSize) {
  const NodeSet set;
  EXPECT_EQ(set.size(), 0U);
  EXPECT_TRUE(set.Empty());
  EXPECT_EQ(set.FindNext(0), 0U);
  EXPECT_EQ(set.ToBytes(), "");
  EXPECT_EQ(NodeSet::All(0), set);
}

TEST(NodeSetTest, InsertsAndErasesAcrossWords) {
  NodeSet set(130);
  for (const NodeId node : {0U, 63U, 64U, 127U, 128U, 129U}) set.Insert(node);
  EXPECT_THAT(set.Members(), ElementsAre(0, 63, 64, 127, 128, 129));
  set.Erase(64);
  EXPECT_FALSE(set.Contains(64));
  EXPECT_TRUE(set.Contains(63));
  EXPECT_EQ(set.Count(), 5U);
  set.Clear();
  EXPECT_TRUE(set.Empty());
  EXPECT_EQ(set.size(), 130U);
}

TEST(NodeSetTest, AllStopsAtTheLastNode) {
  for (const NodeCount size : {1U, 63U, 64U, 65U, 128U, 1000U}) {
    const NodeSet all = NodeSet::All(size);
    EXPECT_EQ(all.Count(), size);
    EXPECT_TRUE(all.Contains(size - 1));
    EXPECT_EQ(all.FindNext(size), size);
  }
}

TEST(NodeSetTest, FindNextCrossesEmptyWords) {
  const NodeSet set = Of(400, {5, 70, 399});
  EXPECT_EQ(set.FindNext(0), 5U);
  EXPECT_EQ(set.FindNext(5), 5U);
  EXPECT_EQ(set.FindNext(6), 70U);
  EXPECT_EQ(set.FindNext(71), 399U);
  EXPECT_EQ(set.FindNext(400), 400U);
}

TEST(NodeSetTest, CombinesByWords) {
  const NodeSet a = Of(130, {1, 64, 129});
  const NodeSet b = Of(130, {1, 65, 129});
  NodeSet both = a;
  both |= b;
  EXPECT_THAT(both.Members(), ElementsAre(1, 64, 65, 129));
  NodeSet common = a;
  common &= b;
  EXPECT_THAT(common.Members(), ElementsAre(1, 129));
  EXPECT_EQ(a.CountCommon(b), 2U);
  NodeSet rest = a;
  rest -= b;
  EXPECT_THAT(rest.Members(), ElementsAre(64));
  EXPECT_TRUE(a.Intersects(b));
  EXPECT_FALSE(rest.Intersects(b));
  EXPECT_TRUE(common.IsSubsetOf(a));
  EXPECT_FALSE(a.IsSubsetOf(b));
}

TEST(NodeSetTest, WritesLeastSignificantBitFirst) {
  EXPECT_EQ(Of(12, {0, 3, 8, 11}).ToBytes(), std::string("\x09\x09"));
}

TEST(NodeSetTest, ReadsWhatItWrote) {
  for (const NodeCount size : {1U, 7U, 8U, 9U, 63U, 64U, 65U, 1003U}) {
    NodeSet set(size);
    for (NodeId node = 0; node < size; node += 3) set.Insert(node);
    const auto read = NodeSet::FromBytes(set.ToBytes(), size);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*read, set);
  }
}

TEST(NodeSetTest, RejectsABitmapOfAnotherLength) {
  const auto longer = NodeSet::FromBytes(std::string(3, '\0'), 16);
  EXPECT_EQ(longer.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(longer.status().message()),
              HasSubstr("3 bytes (expected 2 for 16 nodes)"));
  EXPECT_FALSE(NodeSet::FromBytes("", 1).ok());
  EXPECT_FALSE(NodeSet::FromBytes(std::string(1, '\0'), 0).ok());
}

TEST(NodeSetTest, RejectsABitPastTheLastNode) {
  EXPECT_FALSE(NodeSet::FromBytes("\x80", 7).ok());
  EXPECT_TRUE(NodeSet::FromBytes("\x40", 7).ok());
  EXPECT_TRUE(NodeSet::FromBytes(std::string(8, '\xff'), 64).ok());
}

}  // namespace
}  // namespace coolspan
