// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/node_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

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

// Sizes around blocks of 32,768 nodes, against a plain set of numbers.
class LargeNodeSetTest : public ::testing::TestWithParam<NodeCount> {
 protected:
  using Model = std::set<NodeId>;

  NodeCount size() const { return GetParam(); }
  // Some at random, and the ones at the edges of words and blocks.
  Model Some(std::uint32_t one_in) {
    Model model;
    for (NodeId node = 0; node < size(); ++node) {
      if (random_() % one_in == 0) model.insert(node);
    }
    for (const NodeId edge :
         {0U, 63U, 64U, 32'767U, 32'768U, 65'535U, 65'536U, size() - 1}) {
      if (edge < size() && random_() % 2 == 0) model.insert(edge);
    }
    return model;
  }
  NodeSet SetOf(const Model& model) const {
    return NodeSet(size(), std::vector<NodeId>(model.begin(), model.end()));
  }
  void ExpectSame(const NodeSet& set, const Model& model) const {
    const std::vector<NodeId> members(model.begin(), model.end());
    ASSERT_EQ(set.size(), size());
    ASSERT_EQ(set.Members(), members);
    ASSERT_EQ(set.Count(), members.size());
    ASSERT_EQ(set.Empty(), members.empty());
    ASSERT_EQ(set, SetOf(model));
    const auto read = NodeSet::FromBytes(set.ToBytes(), size());
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_EQ(*read, set);
    std::uint64_t bits = 0;
    for (const char byte : set.ToBytes()) {
      bits += static_cast<std::uint64_t>(
          std::popcount(static_cast<unsigned char>(byte)));
    }
    ASSERT_EQ(bits, members.size());
  }

  std::mt19937 random_{11};
};

TEST_P(LargeNodeSetTest, ChangesAsThePlainSet) {
  Model model;
  NodeSet set(size());
  ExpectSame(set, model);
  for (int i = 0; i < 500; ++i) {
    const NodeId node = static_cast<NodeId>(random_() % size());
    const NodeId near = std::min(size() - 1, 32'766 + node % 4);
    set.Insert(node);
    model.insert(node);
    set.Erase(near);
    model.erase(near);
    ASSERT_TRUE(set.Contains(node) || near == node);
    ASSERT_FALSE(set.Contains(near));
  }
  ExpectSame(set, model);
  set.Clear();
  ExpectSame(set, {});
  const NodeSet all = NodeSet::All(size());
  EXPECT_EQ(all.Count(), size());
  EXPECT_TRUE(all.Contains(size() - 1));
  EXPECT_TRUE(NodeSet::FromBytes(all.ToBytes(), size()).ok());
}

TEST_P(LargeNodeSetTest, CombinesAsPlainSets) {
  for (const std::uint32_t one_in : {2U, 100U, 40'000U}) {
    const Model a = Some(one_in);
    const Model b = Some(3);
    Model both;
    Model common;
    Model rest;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(),
                   std::inserter(both, both.end()));
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                          std::inserter(common, common.end()));
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(),
                        std::inserter(rest, rest.end()));
    const NodeSet set_a = SetOf(a);
    const NodeSet set_b = SetOf(b);
    NodeSet set = set_a;
    set |= set_b;
    ExpectSame(set, both);
    set = set_a;
    set &= set_b;
    ExpectSame(set, common);
    set = set_a;
    set -= set_b;
    ExpectSame(set, rest);
    ExpectSame(set_a, a);
    ExpectSame(set_b, b);
    EXPECT_EQ(set_a.CountCommon(set_b), common.size());
    EXPECT_EQ(set_a.Intersects(set_b), !common.empty());
    EXPECT_FALSE(SetOf(rest).Intersects(set_b));
    EXPECT_TRUE(SetOf(common).IsSubsetOf(set_a));
    EXPECT_EQ(set_a.IsSubsetOf(set_b), rest.empty());
  }
}

TEST_P(LargeNodeSetTest, FindNextEqualsThePlainSet) {
  for (const std::uint32_t one_in : {5U, 20'000U}) {
    const Model model = Some(one_in);
    const NodeSet set = SetOf(model);
    for (int i = 0; i < 1000; ++i) {
      const NodeId from = static_cast<NodeId>(random_() % (size() + 1));
      const auto next = model.lower_bound(from);
      ASSERT_EQ(set.FindNext(from), next == model.end() ? size() : *next);
    }
    EXPECT_EQ(set.FindNext(size() - 1),
              model.contains(size() - 1) ? size() - 1 : size());
  }
  NodeSet last(size());
  last.Insert(size() - 1);
  EXPECT_EQ(last.FindNext(0), size() - 1);
}

TEST_P(LargeNodeSetTest, RefusesABitPastTheLastNode) {
  std::string bytes = NodeSet(size()).ToBytes();
  if (size() % 8 == 0) return;
  bytes.back() = static_cast<char>(1U << (size() % 8));
  EXPECT_FALSE(NodeSet::FromBytes(bytes, size()).ok());
}

INSTANTIATE_TEST_SUITE_P(Sizes, LargeNodeSetTest,
                         ::testing::Values(32'767U, 32'768U, 32'769U, 65'536U,
                                           100'000U));

// Which blocks of the two are one in memory.
std::vector<bool> SharedBlocks(const NodeSet& a, const NodeSet& b) {
  std::vector<bool> shared;
  for (std::size_t i = 0; i < a.block_count(); ++i) {
    shared.push_back(a.block(i).data() == b.block(i).data());
  }
  return shared;
}

TEST(NodeSetTest, CopySharesUnchangedBlocks) {
  constexpr NodeCount kNodes = 100'000;
  const NodeSet all = NodeSet::All(kNodes);
  ASSERT_EQ(all.block_count(), 4U);
  NodeSet set = all;
  EXPECT_THAT(SharedBlocks(set, all), ElementsAre(true, true, true, true));
  set.Erase(40'000);
  EXPECT_THAT(SharedBlocks(set, all), ElementsAre(true, false, true, true));
}

TEST(NodeSetTest, CombiningSharesUnchangedBlocks) {
  constexpr NodeCount kNodes = 100'000;
  const NodeSet all = NodeSet::All(kNodes);
  NodeSet but_one = all;
  but_one.Erase(40'000);
  const NodeSet none(kNodes);
  NodeSet set = all;
  set &= but_one;
  // Where both are alike it stays its own, else it is the other's.
  EXPECT_THAT(SharedBlocks(set, but_one), ElementsAre(true, true, true, true));
  set = but_one;
  set |= all;
  EXPECT_THAT(SharedBlocks(set, all), ElementsAre(true, true, true, true));
  set = all;
  set -= Of(kNodes, {99'999});
  EXPECT_THAT(SharedBlocks(set, all), ElementsAre(true, true, true, false));
  EXPECT_EQ(set.Count(), kNodes - 1);
  set = all;
  set &= all;
  set |= none;
  set -= none;
  EXPECT_THAT(SharedBlocks(set, all), ElementsAre(true, true, true, true));
  set &= none;
  EXPECT_THAT(SharedBlocks(set, none), ElementsAre(true, true, true, true));
  EXPECT_TRUE(set.Empty());
  set = but_one;
  set &= Of(kNodes, {32'768, 32'769, 40'000});
  EXPECT_THAT(set.Members(), ElementsAre(32'768, 32'769));
  EXPECT_EQ(but_one.Count(), kNodes - 1) << "what shared it stays";
}

}  // namespace
}  // namespace coolspan
