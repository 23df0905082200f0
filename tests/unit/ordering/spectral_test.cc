// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "network_machines.h"
#include "ordering/fiedler.h"
#include "ordering/ordering.h"
#include "ordering/ordering_cost.h"

namespace coolspan {
namespace {

double CostOf(const Machine& machine, const std::string& spec) {
  return MeasureOrdering(machine.topology(),
                         *MakeOrdering(machine, spec).value())
      .locality_cost;
}

// The Fiedler vector of a path is a half cosine, monotonic from end to end.
TEST(FiedlerTest, IsMonotonicAlongAPath) {
  for (const std::uint32_t size : {2U, 3U, 30U, 1000U}) {
    WeightedGraph path{size, {}};
    for (std::uint32_t i = 1; i < size; ++i)
      path.edges.push_back({i - 1, i, 1});
    const std::vector<double> values = FiedlerVector(path);
    ASSERT_EQ(values.size(), size);
    EXPECT_LE(values.front(), 0);
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end())) << size;
  }
}

TEST(FiedlerTest, SeparatesTwoCliquesAtTheirWeakestLink) {
  WeightedGraph graph{20, {}};
  for (std::uint32_t a = 0; a < 20; ++a) {
    for (std::uint32_t b = a + 1; b < 20; ++b) {
      if (a % 2 == b % 2) graph.edges.push_back({a, b, 1});
    }
  }
  graph.edges.push_back({0, 1, 0.1});
  const std::vector<double> values = FiedlerVector(graph);
  for (std::uint32_t vertex = 0; vertex < 20; ++vertex) {
    EXPECT_EQ(values[vertex] < 0, vertex % 2 == 0) << vertex;
  }
}

// The leaves of a hub have no other neighbour. The vector is orthogonal to the
// constant one, and separates two hubs with their leaves.
TEST(FiedlerTest, SeparatesStars) {
  constexpr std::uint32_t kLeaves = 500;
  for (const std::uint32_t hubs : {1U, 2U}) {
    WeightedGraph graph{hubs * (kLeaves + 1), {}};
    for (std::uint32_t leaf = hubs; leaf < graph.vertices; ++leaf) {
      graph.edges.push_back({leaf % hubs, leaf, 1});
    }
    if (hubs == 2) graph.edges.push_back({0, 1, 1});
    const std::vector<double> values = FiedlerVector(graph);
    ASSERT_EQ(values.size(), graph.vertices);
    EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0), 0, 1e-6);
    if (hubs == 1) continue;
    for (std::uint32_t vertex = 0; vertex < graph.vertices; ++vertex) {
      EXPECT_EQ(values[vertex] < 0, vertex % 2 == 0) << vertex;
    }
  }
}

TEST(SpectralTest, IsTheDefaultWithoutCoordinates) {
  for (const auto& machine :
       {FatTreeMachine(), DragonflyMachine(), GraphMachine()}) {
    EXPECT_EQ(MakeOrdering(*machine, "").value()->name(), "spectral");
  }
}

TEST(SpectralTest, CostsAtMostAsMuchAsRowMajorOnEveryKindOfNetwork) {
  Grid holes = FlatGrid({13, 11});
  holes.holes = {5, 17, 18, 40, 99};
  for (const auto& machine :
       {FatTreeMachine(), DragonflyMachine(), GraphMachine(),
        HopMatrixMachine(), MeshMachine(holes), MeshMachine(UnevenGrid()),
        MeshMachine(FlatGrid({16, 16}))}) {
    EXPECT_LE(CostOf(*machine, "spectral"), CostOf(*machine, "row-major"));
  }
}

TEST(SpectralTest, IsWithinFivePercentOfHilbertOnMeshes) {
  for (const Grid& grid :
       {FlatGrid({16, 16}), FlatGrid({8, 8, 5}), FlatGrid({24, 60})}) {
    const auto machine = MeshMachine(grid);
    EXPECT_LE(CostOf(*machine, "spectral"), 1.05 * CostOf(*machine, "hilbert"));
  }
}

// The nodes below a switch of either level have consecutive ranks.
TEST(SpectralTest, KeepsTheNodesBelowASwitchTogether) {
  const auto machine = FatTreeMachine();
  const auto ordering = MakeOrdering(*machine, "spectral").value();
  for (const bool leaves : {true, false}) {
    std::set<VertexId> seen;
    VertexId last = 1000;
    for (const NodeId node : ordering->nodes()) {
      const VertexId leaf = machine->topology().VertexOf(node);
      const VertexId at = leaves ? leaf : leaf / 4;
      if (at != last) {
        EXPECT_TRUE(seen.insert(at).second) << at;
      }
      last = at;
    }
  }
}

TEST(SpectralTest, IsDeterministic) {
  const auto machine = DragonflyMachine();
  const auto first = MakeOrdering(*machine, "spectral").value();
  const auto second = MakeOrdering(*machine, "spectral").value();
  EXPECT_TRUE(std::equal(first->nodes().begin(), first->nodes().end(),
                         second->nodes().begin()));
}

}  // namespace
}  // namespace coolspan
