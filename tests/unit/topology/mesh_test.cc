// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "mesh_machine.h"
#include "unit/topology/topology_oracle.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

std::vector<NodeId> AllNodes(const Topology& topology) {
  std::vector<NodeId> nodes(topology.node_count());
  std::iota(nodes.begin(), nodes.end(), NodeId{0});
  return nodes;
}

std::vector<VertexId> NeighboursOf(const Topology& topology, VertexId vertex) {
  std::vector<VertexId> neighbours;
  topology.AppendNeighbours(vertex, neighbours);
  std::sort(neighbours.begin(), neighbours.end());
  return neighbours;
}

TEST(MeshTest, NumbersVerticesXFastest) {
  const auto mesh = MakeMesh(FlatGrid({4, 3, 2})).value();
  EXPECT_EQ(mesh->kind(), "mesh");
  EXPECT_EQ(mesh->node_count(), 24U);
  EXPECT_EQ(mesh->vertex_count(), 24U);
  EXPECT_EQ(mesh->Distance(0, 1), 1U);
  EXPECT_EQ(mesh->Distance(0, 4), 1U);
  EXPECT_EQ(mesh->Distance(0, 12), 1U);
  EXPECT_EQ(mesh->Distance(0, 23), 3U + 2U + 1U);
  EXPECT_EQ(mesh->Distance(23, 0), 6U);
  EXPECT_EQ(mesh->Distance(7, 7), 0U);
  ASSERT_NE(mesh->grid(), nullptr);
  EXPECT_EQ(mesh->grid()->dims, (std::vector<std::uint32_t>{4, 3, 2}));
}

TEST(MeshTest, WrapsOnlyInWrappedDimensions) {
  Grid grid = FlatGrid({5, 6});
  grid.wrap = {true, false};
  const auto mesh = MakeMesh(grid).value();
  EXPECT_EQ(mesh->kind(), "torus");
  EXPECT_EQ(mesh->Distance(0, 4), 1U);
  EXPECT_EQ(mesh->Distance(0, 2), 2U);
  EXPECT_EQ(mesh->Distance(0, 3), 2U);
  EXPECT_EQ(mesh->Distance(0, 25), 5U);
}

TEST(MeshTest, Neighbours) {
  const auto mesh = MakeMesh(FlatGrid({3, 3})).value();
  EXPECT_EQ(NeighboursOf(*mesh, 0), (std::vector<VertexId>{1, 3}));
  EXPECT_EQ(NeighboursOf(*mesh, 4), (std::vector<VertexId>{1, 3, 5, 7}));
  const auto torus = MakeMesh(TorusGrid({3, 3})).value();
  EXPECT_EQ(NeighboursOf(*torus, 0), (std::vector<VertexId>{1, 2, 3, 6}));
}

TEST(MeshTest, ShortRingsHaveOneLinkOrNone) {
  const auto torus = MakeMesh(TorusGrid({2, 1, 3})).value();
  EXPECT_EQ(NeighboursOf(*torus, 0), (std::vector<VertexId>{1, 2, 4}));
  EXPECT_EQ(torus->Distance(0, 1), 1U);
}

TEST(MeshTest, NeighboursAreTheVerticesAtOneHop) {
  for (const Grid& grid : {FlatGrid({4, 3, 2}), TorusGrid({4, 3, 2, 1, 5}),
                           TorusGrid({2, 2, 2, 2, 2, 2})}) {
    const auto mesh = MakeMesh(grid).value();
    for (const NodeId a : AllNodes(*mesh)) {
      std::vector<VertexId> at_one_hop;
      for (const NodeId b : AllNodes(*mesh)) {
        if (mesh->Distance(a, b) == 1) at_one_hop.push_back(b);
      }
      EXPECT_EQ(NeighboursOf(*mesh, a), at_one_hop);
    }
  }
}

TEST(MeshTest, SeveralNodesShareAVertex) {
  Grid grid = FlatGrid({3, 2});
  grid.nodes_per_vertex = 4;
  const auto mesh = MakeMesh(grid).value();
  EXPECT_EQ(mesh->node_count(), 24U);
  EXPECT_EQ(mesh->VertexOf(3), 0U);
  EXPECT_EQ(mesh->VertexOf(4), 1U);
  EXPECT_EQ(mesh->Distance(0, 3), 0U);
  EXPECT_EQ(mesh->Distance(3, 4), 1U);
  EXPECT_EQ(mesh->NodesAt(5).first, 20U);
  EXPECT_EQ(mesh->NodesAt(5).count, 4U);
}

TEST(MeshTest, HolesHaveNoNodesAndForwardTraffic) {
  Grid grid = FlatGrid({4});
  grid.holes = {3, 1};  // any order
  grid.nodes_per_vertex = 2;
  const auto mesh = MakeMesh(grid).value();
  EXPECT_EQ(mesh->node_count(), 4U);
  EXPECT_EQ(mesh->vertex_count(), 4U);
  EXPECT_EQ(mesh->VertexOf(1), 0U);
  EXPECT_EQ(mesh->VertexOf(2), 2U);
  EXPECT_EQ(mesh->NodesAt(1).count, 0U);
  EXPECT_EQ(mesh->NodesAt(2).first, 2U);
  EXPECT_EQ(mesh->NodesAt(2).count, 2U);
  EXPECT_EQ(mesh->NodesAt(3).count, 0U);
  EXPECT_EQ(mesh->Distance(0, 3), 2U);
  EXPECT_EQ(NeighboursOf(*mesh, 2), (std::vector<VertexId>{1, 3}));
  EXPECT_EQ(mesh->grid()->holes, (std::vector<VertexId>{1, 3}));
}

TEST(MeshTest, PairwiseTotalOfAWholeRing) {
  // The distances of a node to the other n - 1 are 1, 2, ... n/2 ... 2, 1.
  for (const std::uint32_t n : {1U, 2U, 3U, 6U, 7U, 1000U, 1001U}) {
    const auto ring = MakeMesh(TorusGrid({n})).value();
    const std::uint64_t row = std::uint64_t{n / 2} * ((n + 1) / 2);
    EXPECT_EQ(ring->PairwiseTotal(AllNodes(*ring)), row * n / 2) << n;
  }
}

TEST(MeshTest, PairwiseTotalOfTheLongestMeshFits) {
  const std::uint64_t n = kMaxVertices;
  const auto line = MakeMesh(FlatGrid({kMaxVertices})).value();
  EXPECT_EQ(line->PairwiseTotal(AllNodes(*line)),
            (n - 1) / 3 * (n / 2) * (n + 1));
  const auto ring = MakeMesh(TorusGrid({kMaxVertices})).value();
  EXPECT_EQ(ring->PairwiseTotal(AllNodes(*ring)), (n / 2) * (n / 2) * (n / 2));
}

std::string ErrorOf(Grid grid) {
  const auto mesh = MakeMesh(std::move(grid));
  EXPECT_EQ(mesh.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(mesh.status().message());
}

TEST(MeshErrorsTest, NameTheWrongEntry) {
  constexpr std::uint32_t kMax = std::numeric_limits<std::uint32_t>::max();
  EXPECT_THAT(ErrorOf(FlatGrid({})), testing::HasSubstr("1 to 6"));
  EXPECT_THAT(ErrorOf(FlatGrid({2, 2, 2, 2, 2, 2, 2})),
              testing::HasSubstr("1 to 6"));
  EXPECT_THAT(ErrorOf(FlatGrid({4, 0})), testing::HasSubstr("dims[1] is 0"));
  EXPECT_THAT(ErrorOf(FlatGrid({kMax, kMax, kMax, kMax, kMax, kMax})),
              testing::HasSubstr("more than 4194304 vertices"));
  EXPECT_THAT(ErrorOf(FlatGrid({65536, 65536, 65536, 65536})),
              testing::HasSubstr("more than 4194304 vertices"));

  Grid wrap = FlatGrid({4, 4});
  wrap.wrap = {true};
  EXPECT_THAT(ErrorOf(wrap), testing::HasSubstr("wrap has 1 entries"));
  Grid no_nodes = FlatGrid({4});
  no_nodes.nodes_per_vertex = 0;
  EXPECT_THAT(ErrorOf(no_nodes), testing::HasSubstr("at least 1"));
  Grid many_nodes = FlatGrid({4096});
  many_nodes.nodes_per_vertex = kMax;
  EXPECT_THAT(ErrorOf(many_nodes), testing::HasSubstr("nodes"));
}

TEST(MeshErrorsTest, NameTheWrongHole) {
  Grid outside = FlatGrid({2, 3});
  outside.holes = {6};
  EXPECT_THAT(ErrorOf(outside), testing::HasSubstr("hole 6"));
  Grid twice = FlatGrid({2, 3});
  twice.holes = {4, 1, 4};
  EXPECT_THAT(ErrorOf(twice), testing::HasSubstr("hole 4 is listed twice"));
  Grid all = FlatGrid({2});
  all.holes = {0, 1};
  EXPECT_THAT(ErrorOf(all), testing::HasSubstr("every vertex is a hole"));
}

TEST(MeshTest, VerticesMayHaveFewerNodes) {
  Grid grid = TorusGrid({4, 3});
  grid.nodes_per_vertex = 4;
  grid.holes = {5, 0};
  grid.short_vertices = {{11, 3}, {2, 1}};
  const auto mesh = MakeMesh(grid).value();
  EXPECT_EQ(mesh->node_count(), 8U * 4 + 3 + 1);
  EXPECT_EQ(mesh->grid()->short_vertices.front().vertex, 2U);
  EXPECT_EQ(mesh->NodesAt(2).first, 4U);
  EXPECT_EQ(mesh->NodesAt(2).count, 1U);
  EXPECT_EQ(mesh->NodesAt(3).first, 5U);
  EXPECT_EQ(mesh->NodesAt(5).count, 0U);
  EXPECT_EQ(mesh->NodesAt(11).count, 3U);
  EXPECT_EQ(mesh->VertexOf(4), 2U);
  EXPECT_EQ(mesh->VertexOf(35), 11U);
  ExpectConsistent(*mesh);
}

TEST(MeshTest, RefusesInvalidShortVertices) {
  const auto error = [](std::vector<Grid::ShortVertex> short_vertices) {
    Grid grid = FlatGrid({4});
    grid.nodes_per_vertex = 3;
    grid.holes = {1};
    grid.short_vertices = std::move(short_vertices);
    return std::string(MakeMesh(grid).status().message());
  };
  EXPECT_EQ(error({{0, 1}, {2, 2}}), "");
  EXPECT_THAT(error({{4, 1}}), HasSubstr("outside"));
  EXPECT_THAT(error({{0, 1}, {0, 2}}), HasSubstr("twice"));
  EXPECT_THAT(error({{0, 0}}), HasSubstr("fewer than 3"));
  EXPECT_THAT(error({{0, 3}}), HasSubstr("fewer than 3"));
  EXPECT_THAT(error({{1, 1}}), HasSubstr("a hole"));
}

}  // namespace
}  // namespace coolspan
