// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/rank_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace coolspan {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<TaskRank, double>> Pairs(
    const std::vector<RankGraph::Edge>& edges) {
  std::vector<std::pair<TaskRank, double>> pairs;
  for (const RankGraph::Edge& edge : edges) {
    pairs.emplace_back(edge.to, edge.bytes);
  }
  return pairs;
}

TEST(KeepHeaviestTest, HeaviestFirstAndLowerRanksOfEqualOnes) {
  std::vector<RankGraph::Edge> edges = {{7, 1}, {6, 5}, {5, 5}, {4, 9}, {3, 5}};
  KeepHeaviest(edges, 3);
  EXPECT_THAT(Pairs(edges), ElementsAre(Pair(4, 9), Pair(3, 5), Pair(5, 5)));
}

TEST(KeepHeaviestTest, FewerEdgesThanAskedForAreSorted) {
  std::vector<RankGraph::Edge> edges = {{1, 2}, {2, 3}};
  KeepHeaviest(edges, 9);
  EXPECT_THAT(Pairs(edges), ElementsAre(Pair(2, 3), Pair(1, 2)));
  KeepHeaviest(edges, 0);
  EXPECT_TRUE(edges.empty());
}

TEST(KeepEachOnceTest, OneOfEachPairSorted) {
  std::vector<RankVolume> edges = {{2, 3, 4}, {0, 1, 2}, {2, 3, 4}, {0, 3, 1}};
  KeepEachOnce(edges);
  ASSERT_EQ(edges.size(), 3u);
  EXPECT_EQ(edges[0].to, 1u);
  EXPECT_EQ(edges[1].to, 3u);
  EXPECT_EQ(edges[2].from, 2u);
}

TEST(RankGraphTest, HeaviestKeepsWhatEitherRankKeeps) {
  // A star: rank 0 keeps its heaviest edge, the others their only one.
  const auto pattern =
      CommPattern::Create(4, {{0, 1, 1.0}, {0, 2, 2.0}, {0, 3, 3.0}});
  ASSERT_TRUE(pattern.ok()) << pattern.status();
  const RankGraph graph = RankGraph(**pattern, 4).Heaviest(1);
  EXPECT_EQ(graph.edges(), 3u);
  const auto dense = CommPattern::Create(
      4, {{0, 1, 9.0}, {2, 3, 9.0}, {0, 2, 1.0}, {1, 3, 1.0}});
  ASSERT_TRUE(dense.ok()) << dense.status();
  const RankGraph pairs = RankGraph(**dense, 4).Heaviest(1);
  EXPECT_EQ(pairs.edges(), 2u);
  EXPECT_EQ(pairs.Between(0, 2), 0);
  EXPECT_EQ(pairs.Between(2, 3), 9);
}

}  // namespace
}  // namespace coolspan
