// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/neighbours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mesh_machine.h"
#include "network_machines.h"
#include "policy/stream/node_pairs.h"

namespace coolspan {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::shared_ptr<const Topology> GraphOf(
    std::vector<NodeCount> nodes_at,
    std::vector<std::pair<VertexId, VertexId>> links) {
  return MakeGraph({"graph", std::move(nodes_at), std::move(links)},
                   [](VertexId v) { return std::to_string(v); })
      .value();
}

// Vertices in rows of four, each linked to those beside, above and below it.
std::shared_ptr<const Topology> MeshGraph(NodeCount nodes_per_vertex) {
  std::vector<std::pair<VertexId, VertexId>> links;
  for (VertexId v = 0; v < 16; ++v) {
    if (v % 4 < 3) links.emplace_back(v, v + 1);
    if (v < 12) links.emplace_back(v, v + 4);
  }
  return GraphOf(std::vector<NodeCount>(16, nodes_per_vertex),
                 std::move(links));
}

TEST(NeighboursTest, PairsOfAMeshWeighOne) {
  const auto mesh = MeshGraph(1);
  const Neighbours neighbours(*mesh);
  EXPECT_THAT(neighbours.Beside(0), UnorderedElementsAre(1, 4));
  EXPECT_THAT(neighbours.Beside(5), UnorderedElementsAre(1, 4, 6, 9));
  EXPECT_EQ(neighbours.beside_weight(), 1);
  EXPECT_EQ(neighbours.switch_count(), 0U);
  EXPECT_THAT(neighbours.Switches(5), IsEmpty());
}

TEST(NeighboursTest, PairsWeighLessAmongMoreNodes) {
  const auto mesh = MeshGraph(8);
  const Neighbours neighbours(*mesh);
  EXPECT_DOUBLE_EQ(neighbours.beside_weight(), 1.0 / 64) << "4 of 32, squared";
  EXPECT_DOUBLE_EQ(neighbours.own_weight(5), 0.25);
  const auto small = MeshGraph(2);
  EXPECT_EQ(Neighbours(*small).own_weight(5), 1) << "1 at most";
}

// As in the search on grids, whatever the number of dimensions.
TEST(NeighboursTest, PairsOnAGridShareTheNodesOfAVertex) {
  Grid grid = FlatGrid({3, 3, 3});
  grid.holes = {1};
  const auto holes = MeshMachine(grid);
  const Neighbours of_holes(holes->topology());
  EXPECT_EQ(of_holes.beside_weight(), 1);
  EXPECT_EQ(of_holes.own_weight(13), 2);
  EXPECT_THAT(of_holes.Beside(13), UnorderedElementsAre(4, 10, 12, 14, 16, 22));
  EXPECT_THAT(of_holes.Beside(0), UnorderedElementsAre(3, 9));
  EXPECT_EQ(of_holes.switch_count(), 0U) << "a hole is not a switch";
  EXPECT_THAT(of_holes.Switches(0), IsEmpty());
  grid.holes.clear();
  grid.nodes_per_vertex = 4;
  const auto shared = MeshMachine(grid);
  const Neighbours of_shared(shared->topology());
  EXPECT_EQ(of_shared.beside_weight(), 0.25);
  EXPECT_EQ(of_shared.own_weight(13), 0.5);
}

TEST(NodePairsTest, CompactMeansGrowFromTheMiddle) {
  const auto line = MeshMachine(FlatGrid({5}));
  const NodePairs pairs(line->topology(), Neighbours(line->topology()));
  // 2, then 1 and 3, then 0 and 4.
  EXPECT_THAT(pairs.CompactMeans(),
              ElementsAre(1, 1, 1, DoubleEq(4.0 / 3), DoubleEq(10.0 / 6), 2));
  EXPECT_EQ(pairs.neighbour_count(), 8U);
  Grid one_vertex = FlatGrid({1});
  one_vertex.nodes_per_vertex = 3;
  const auto together = MeshMachine(one_vertex);
  EXPECT_THAT(NodePairs(together->topology(), Neighbours(together->topology()))
                  .CompactMeans(),
              ElementsAre(1, 1, 1, 1))
      << "1 instead of 0";
}

TEST(NeighboursTest, LeafSwitchesBelowOneSwitchAreNeighbours) {
  const auto machine = FatTreeMachine();
  const Neighbours neighbours(machine->topology());
  EXPECT_EQ(neighbours.switch_count(), 3U) << "no leaf is below the top";
  for (VertexId leaf = 0; leaf < 12; ++leaf) {
    EXPECT_THAT(neighbours.Beside(leaf), IsEmpty());
    EXPECT_THAT(neighbours.Switches(leaf), ElementsAre(leaf / 4));
  }
  for (VertexId above = 12; above < 16; ++above) {
    EXPECT_THAT(neighbours.Switches(above), IsEmpty()) << "has no nodes";
  }
  EXPECT_DOUBLE_EQ(neighbours.switch_weight(0), 16.0 / (10 * 10));
  EXPECT_DOUBLE_EQ(neighbours.switch_weight(2), 16.0 / (42 * 42));
  EXPECT_EQ(neighbours.own_weight(3), 1);
  EXPECT_DOUBLE_EQ(neighbours.own_weight(11), 16.0 / (12 * 12));
  EXPECT_EQ(neighbours.own_weight(15), 0);
}

TEST(NeighboursTest, RoutersOfADragonflyAreNeighboursOverAllTheirLinks) {
  const auto machine = DragonflyMachine();
  const Neighbours neighbours(machine->topology());
  EXPECT_EQ(neighbours.switch_count(), 0U);
  for (VertexId router = 0; router < 36; ++router) {
    const auto beside = neighbours.Beside(router);
    EXPECT_EQ(beside.size(), 3U + 2U) << "of the group and by global links";
    for (VertexId other = router / 4 * 4; other < router / 4 * 4 + 4; ++other) {
      EXPECT_EQ(std::count(beside.begin(), beside.end(), other),
                other == router ? 0 : 1);
    }
  }
  EXPECT_DOUBLE_EQ(neighbours.beside_weight(), 16.0 / (15 * 15));
}

TEST(NeighboursTest, TheNearestOfAHopMatrixAreNeighbours) {
  const auto machine = HopMatrixMachine();
  const Neighbours neighbours(machine->topology());
  EXPECT_THAT(neighbours.Beside(9),
              UnorderedElementsAre(8, 10, 11, 12, 13, 14, 15));
  EXPECT_DOUBLE_EQ(neighbours.beside_weight(), 16.0 / (7 * 7));
  EXPECT_EQ(neighbours.switch_count(), 0U);
}

TEST(NeighboursTest, NodesAtOneSwitchAreNeighbours) {
  const auto machine = GraphMachine();
  const Neighbours neighbours(machine->topology());
  EXPECT_EQ(neighbours.switch_count(), 6U);
  EXPECT_THAT(neighbours.Beside(7), IsEmpty());
  ASSERT_EQ(neighbours.Switches(7).size(), 1U);
  EXPECT_EQ(neighbours.Switches(7)[0], neighbours.Switches(5)[0]);
  EXPECT_EQ(neighbours.Switches(30)[0], neighbours.Switches(4)[0]);
  EXPECT_DOUBLE_EQ(neighbours.switch_weight(neighbours.Switches(4)[0]),
                   16.0 / (6 * 6));
  EXPECT_DOUBLE_EQ(neighbours.switch_weight(neighbours.Switches(7)[0]),
                   16.0 / (5 * 5));
  EXPECT_THAT(neighbours.Beside(31), UnorderedElementsAre(30, 32));
  EXPECT_THAT(neighbours.Switches(31), IsEmpty());
  EXPECT_EQ(neighbours.beside_weight(), 1) << "two beside at most";
}

TEST(NeighboursTest, ASwitchOfOneVertexIsNone) {
  // Vertices 0 and 1 have nodes, each its own switch; the switches are linked.
  const auto graph = GraphOf({4, 4, 0, 0}, {{0, 2}, {1, 3}, {2, 3}});
  const Neighbours neighbours(*graph);
  EXPECT_EQ(neighbours.switch_count(), 0U);
  EXPECT_THAT(neighbours.Switches(0), IsEmpty());
  EXPECT_THAT(neighbours.Beside(0), IsEmpty());
  EXPECT_EQ(neighbours.beside_weight(), 0);
}

TEST(NeighboursTest, AVertexMayHaveSeveralSwitches) {
  // Two leaf switches below both of two spine switches.
  const auto graph = GraphOf({4, 4, 0, 0}, {{0, 2}, {0, 3}, {1, 2}, {1, 3}});
  const Neighbours neighbours(*graph);
  EXPECT_EQ(neighbours.switch_count(), 2U);
  EXPECT_THAT(neighbours.Switches(0), UnorderedElementsAre(0, 1));
  EXPECT_THAT(neighbours.Switches(1), UnorderedElementsAre(0, 1));
}

}  // namespace
}  // namespace coolspan
