// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "unit/topology/topology_oracle.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Links = std::vector<std::pair<VertexId, VertexId>>;

absl::StatusOr<std::shared_ptr<const Topology>> Make(
    std::vector<NodeCount> nodes_at, Links links) {
  return MakeGraph({"graph", std::move(nodes_at), std::move(links)},
                   [](VertexId v) { return "v" + std::to_string(v); });
}

std::string ErrorOf(std::vector<NodeCount> nodes_at, Links links) {
  const auto made = Make(std::move(nodes_at), std::move(links));
  EXPECT_FALSE(made.ok());
  return std::string(made.status().message());
}

TEST(GraphTest, CountsLinks) {
  // Nodes 0 to 2 at switch 3, node 4 at switch 5, which is linked to switch 3.
  const auto graph =
      Make({1, 1, 1, 0, 1, 0}, {{0, 3}, {1, 3}, {3, 2}, {3, 5}, {5, 4}, {4, 5}})
          .value();
  EXPECT_EQ(graph->kind(), "graph");
  EXPECT_EQ(graph->node_count(), 4U);
  EXPECT_EQ(graph->VertexOf(3), 4U);
  EXPECT_EQ(graph->Distance(0, 1), 2U);
  EXPECT_EQ(graph->Distance(0, 3), 3U);
  EXPECT_EQ(graph->VertexDistance(4, 5), 1U);
  std::vector<VertexId> neighbours;
  graph->AppendNeighbours(3, neighbours);
  EXPECT_THAT(neighbours, ElementsAre(0, 1, 2, 5));
  ExpectConsistent(*graph);
}

TEST(GraphTest, SmallGraphsAreConsistent) {
  ExpectConsistent(*Make({3}, {}).value());
  ExpectConsistent(*Make({3}, {{0, 0}}).value());
  ExpectConsistent(*Make({1, 4}, {{0, 1}}).value());
  ExpectConsistent(*Make({0, 4}, {{1, 0}, {0, 1}}).value());
  ExpectConsistent(*Make({1, 4, 0}, {{2, 0}, {2, 1}}).value());
  ExpectConsistent(*Make({1, 1, 1}, {{0, 1}, {1, 2}, {2, 0}}).value());
}

TEST(GraphTest, IsConsistent) {
  for (unsigned seed = 0; seed < 80; ++seed) {
    std::mt19937 random(seed);
    const VertexId vertices = 2 + Below(random, 150);
    std::vector<NodeCount> nodes_at(vertices);
    for (NodeCount& count : nodes_at) count = Below(random, 4);
    nodes_at[0] += 1;
    Links links;
    for (VertexId v = 1; v < vertices; ++v)
      links.emplace_back(Below(random, v), v);
    for (unsigned i = Below(random, vertices); i > 0; --i) {
      links.emplace_back(Below(random, vertices), Below(random, vertices));
    }
    ExpectConsistent(*Make(nodes_at, links).value(), ~0U, seed);
  }
}

TEST(GraphTest, LongPathsNeedMoreThanAByte) {
  constexpr VertexId kLength = 700;
  Links links;
  for (VertexId v = 1; v < kLength; ++v) links.emplace_back(v - 1, v);
  const auto path = Make(std::vector<NodeCount>(kLength, 1), links).value();
  EXPECT_EQ(path->Distance(0, kLength - 1), kLength - 1);
  ExpectConsistent(*path, 20);
}

// 100,000 nodes at 100 switches in a ring: only switches are in the hop table.
TEST(GraphTest, NodesAtSwitchesAreNotInTheHopTable) {
  constexpr VertexId kNodes = 100'000;
  constexpr VertexId kSwitches = 100;
  std::vector<NodeCount> nodes_at(kNodes, 1);
  nodes_at.resize(kNodes + kSwitches, 0);
  Links links;
  for (VertexId v = 0; v < kNodes; ++v) {
    links.emplace_back(v, kNodes + v % kSwitches);
  }
  for (VertexId s = 0; s < kSwitches; ++s) {
    links.emplace_back(kNodes + s, kNodes + (s + 1) % kSwitches);
  }
  const auto graph = Make(nodes_at, links).value();
  EXPECT_EQ(graph->Distance(0, 100), 2U);
  EXPECT_EQ(graph->Distance(0, 50), 52U);
}

TEST(GraphTest, RefusesMoreVerticesThanTheHopTableHolds) {
  constexpr VertexId kLength = 20'000;
  Links links;
  for (VertexId v = 1; v < kLength; ++v) links.emplace_back(v - 1, v);
  EXPECT_THAT(
      ErrorOf(std::vector<NodeCount>(kLength, 1), links),
      HasSubstr("19998 vertices have two links or more (expected at most "
                "16384"));
}

TEST(GraphTest, NamesTwoVerticesWithoutAPath) {
  EXPECT_THAT(ErrorOf({0, 1, 0, 1, 1}, {{0, 1}, {2, 3}, {4, 1}}),
              HasSubstr("no path leads from v1 to v3 (expected"));
  // Vertices with nodes if there are such, else switches.
  EXPECT_THAT(ErrorOf({1, 0, 1}, {{0, 2}}),
              HasSubstr("no path leads from v0 to v1 (expected"));
  EXPECT_THAT(ErrorOf({1, 1}, {}),
              HasSubstr("no path leads from v0 to v1 (expected"));
  EXPECT_THAT(ErrorOf({}, {}), HasSubstr("no vertex has a node"));
  EXPECT_THAT(ErrorOf({0, 0}, {{0, 1}}), HasSubstr("no vertex has a node"));
}

}  // namespace
}  // namespace coolspan
