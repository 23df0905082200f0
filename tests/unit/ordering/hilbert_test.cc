// SPDX-License-Identifier: GPL-3.0-or-later
#include "ordering/hilbert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mesh_machine.h"
#include "ordering/ordering_cost.h"

namespace coolspan {
namespace {

using Dims = std::vector<std::uint32_t>;
using Order = std::vector<std::uint32_t>;

std::size_t VertexCount(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), std::size_t{1},
                         std::multiplies<>());
}

std::vector<Dims> Coordinates(const Dims& dims, const Order& order) {
  std::vector<Dims> coordinates;
  coordinates.reserve(order.size());
  for (std::uint32_t vertex : order) {
    Dims at;
    for (const std::uint32_t extent : dims) {
      at.push_back(vertex % extent);
      vertex /= extent;
    }
    coordinates.push_back(std::move(at));
  }
  return coordinates;
}

int HopsBetween(const Dims& a, const Dims& b) {
  int hops = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    hops += std::abs(static_cast<int>(a[i]) - static_cast<int>(b[i]));
  }
  return hops;
}

Order RowMajor(const Dims& dims) {
  Order order(VertexCount(dims));
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

Order Snake(const Dims& dims) {
  Order order = {0};
  std::uint32_t stride = 1;
  for (const std::uint32_t extent : dims) {
    const std::size_t layer = order.size();
    for (std::uint32_t k = 1; k < extent; ++k) {
      for (std::size_t back = 1; back <= layer; ++back) {
        order.push_back(order[k * layer - back] + stride);
      }
    }
    stride *= extent;
  }
  return order;
}

// cpa-rd100-cplant-bender, section 2.2, w(k) = 2^-k for k = 1..32.
double LocalityCost(const Dims& dims, const Order& order) {
  const std::vector<Dims> at = Coordinates(dims, order);
  double cost = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    double weight = 0.5;
    for (std::size_t k = 1; k <= 32 && i + k < at.size(); ++k, weight /= 2) {
      cost += weight * HopsBetween(at[i], at[i + k]);
    }
  }
  return cost;
}

// Mean distance of pairs within consecutive windows of ranks.
double MeanHopsInWindows(const Dims& dims, const Order& order,
                         std::size_t window) {
  const std::vector<Dims> at = Coordinates(dims, order);
  double hops = 0;
  double pairs = 0;
  for (std::size_t first = 0; first + window <= at.size(); first += window) {
    for (std::size_t i = first; i < first + window; ++i) {
      for (std::size_t j = first; j < i; ++j) {
        hops += HopsBetween(at[i], at[j]);
        ++pairs;
      }
    }
  }
  return hops / pairs;
}

// Calls visit with every `count` extents in [1, largest].
void ForEachDims(std::size_t count, std::uint32_t largest,
                 const std::function<void(const Dims&)>& visit) {
  Dims dims(count, 1);
  while (true) {
    visit(dims);
    std::size_t i = 0;
    while (i < count && dims[i] == largest) dims[i++] = 1;
    if (i == count) return;
    ++dims[i];
  }
}

void ExpectOneHopWalk(const Dims& dims) {
  SCOPED_TRACE(testing::PrintToString(dims));
  const Order order = HilbertOrder(dims);
  ASSERT_EQ(order.size(), VertexCount(dims));
  std::vector<bool> seen(order.size(), false);
  for (const std::uint32_t vertex : order) {
    ASSERT_LT(vertex, order.size());
    ASSERT_FALSE(seen[vertex]) << vertex << " is there twice";
    seen[vertex] = true;
  }
  const std::vector<Dims> at = Coordinates(dims, order);
  for (std::size_t rank = 1; rank < at.size(); ++rank) {
    ASSERT_EQ(HopsBetween(at[rank - 1], at[rank]), 1) << "to rank " << rank;
  }
}

void ExpectMoreLocalThanSnakeAndRowMajor(const Dims& dims) {
  SCOPED_TRACE(testing::PrintToString(dims));
  constexpr double kRounding = 1e-9;
  const double cost = LocalityCost(dims, HilbertOrder(dims));
  EXPECT_LE(cost, LocalityCost(dims, Snake(dims)) + kRounding);
  EXPECT_LE(cost, LocalityCost(dims, RowMajor(dims)) + kRounding);
}

// Every aligned block of side 2^j must have consecutive ranks.
void ExpectContiguousBlocks(std::size_t dimensions, std::uint32_t side) {
  const Dims dims(dimensions, side);
  SCOPED_TRACE(testing::PrintToString(dims));
  const std::vector<Dims> at = Coordinates(dims, HilbertOrder(dims));
  for (std::uint32_t block_side = 2; block_side < side; block_side *= 2) {
    const std::size_t block_size = VertexCount(Dims(dimensions, block_side));
    for (std::size_t rank = 0; rank < at.size(); ++rank) {
      const Dims& first = at[rank / block_size * block_size];
      for (std::size_t i = 0; i < dimensions; ++i) {
        ASSERT_EQ(at[rank][i] / block_side, first[i] / block_side)
            << "rank " << rank << " leaves its block of side " << block_side;
      }
    }
  }
}

const std::vector<Dims>& MachineShapes() {
  static const auto* const shapes = new std::vector<Dims>{
      {16, 16},          {24, 167},    {167, 24},    {13, 11},
      {16, 8},           {32, 32},     {8, 8, 5},    {5, 7, 3},
      {4, 5, 2},         {22, 22, 22}, {24, 23, 24}, {100, 10, 4},
      {4, 10, 100},      {25, 32, 16}, {7, 9, 5, 3}, {24, 23, 24, 2, 3, 2},
      {5, 5, 5, 5, 5, 5}};
  return *shapes;
}

TEST(HilbertOrder, FourByFourIsHilbertsCurve) {
  EXPECT_THAT(HilbertOrder(Dims{4, 4}),
              testing::ElementsAre(0, 1, 5, 4, 8, 12, 13, 9, 10, 14, 15, 11, 7,
                                   6, 2, 3));
}

TEST(HilbertOrder, StepsAreOneHopOnEverySmallMesh) {
  ForEachDims(1, 20, ExpectOneHopWalk);
  ForEachDims(2, 16, ExpectOneHopWalk);
  ForEachDims(3, 9, ExpectOneHopWalk);
  ForEachDims(4, 5, ExpectOneHopWalk);
}

TEST(HilbertOrder, StepsAreOneHopOnMachines) {
  for (const Dims& dims : MachineShapes()) ExpectOneHopWalk(dims);
  ExpectOneHopWalk({100, 100, 100});
}

TEST(HilbertOrder, StepsAreOneHopOnRandomMeshes) {
  constexpr std::uint32_t kSeed = 20240229;
  std::mt19937 random(kSeed);
  for (int round = 0; round < 400; ++round) {
    Dims dims(4 + random() % 3);
    for (std::uint32_t& extent : dims) {
      extent = static_cast<std::uint32_t>(1 + random() % 9);
    }
    if (VertexCount(dims) <= 50'000) ExpectOneHopWalk(dims);
  }
}

TEST(HilbertOrder, BlocksAreContiguousOnPowersOfTwo) {
  const std::map<std::size_t, std::uint32_t> largest_side = {
      {2, 256}, {3, 64}, {4, 16}, {5, 8}, {6, 8}};
  for (const auto& [dimensions, largest] : largest_side) {
    for (std::uint32_t side = 1; side <= largest; side *= 2) {
      ExpectContiguousBlocks(dimensions, side);
      ExpectOneHopWalk(Dims(dimensions, side));
    }
  }
}

TEST(HilbertOrder, IsRowMajorOnLines) {
  for (const std::uint32_t length : {1U, 2U, 3U, 5U, 8U, 31U, 1000U}) {
    for (std::size_t dimensions = 1; dimensions <= 6; ++dimensions) {
      for (std::size_t axis = 0; axis < dimensions; ++axis) {
        Dims dims(dimensions, 1);
        dims[axis] = length;
        EXPECT_EQ(HilbertOrder(dims), RowMajor(dims))
            << testing::PrintToString(dims);
      }
    }
  }
}

TEST(HilbertOrder, LocalityCostIsAtMostThatOfSnakeAndRowMajor) {
  ForEachDims(2, 20, ExpectMoreLocalThanSnakeAndRowMajor);
  ForEachDims(3, 7, ExpectMoreLocalThanSnakeAndRowMajor);
  ForEachDims(4, 4, ExpectMoreLocalThanSnakeAndRowMajor);
  for (const Dims& dims : MachineShapes()) {
    ExpectMoreLocalThanSnakeAndRowMajor(dims);
  }
}

double CostOn(const Machine& machine, const std::string& spec) {
  return MeasureOrdering(machine.topology(),
                         *MakeOrdering(machine, spec).value())
      .locality_cost;
}

// Up to rounding.
void ExpectHilbertCostsLeast(const Grid& grid) {
  SCOPED_TRACE(testing::PrintToString(grid.dims));
  const auto machine = MeshMachine(grid);
  const double cost = CostOn(*machine, "hilbert");
  EXPECT_LE(cost, CostOn(*machine, "snake") + 1e-9);
  EXPECT_LE(cost, CostOn(*machine, "row-major") + 1e-9);
}

TEST(HilbertOrdering, CostIsAtMostThatOfSnakeAndRowMajorOnTori) {
  for (const NodeCount nodes : {1U, 2U, 4U}) {
    const auto on_torus = [nodes](const Dims& dims) {
      Grid grid = TorusGrid(dims);
      grid.nodes_per_vertex = nodes;
      ExpectHilbertCostsLeast(grid);
    };
    ForEachDims(1, 20, on_torus);
    ForEachDims(2, 12, on_torus);
    ForEachDims(3, 5, on_torus);
    for (const Dims& dims :
         {Dims{16, 16}, Dims{8, 8, 8}, Dims{8, 8, 5}, Dims{4, 4, 4, 4},
          Dims{5, 5, 5, 5}, Dims{5, 4, 3, 1, 2, 2}, Dims{24, 23, 24}}) {
      on_torus(dims);
    }
  }
}

TEST(HilbertOrdering, CostIsAtMostThatOfSnakeAndRowMajorWithHoles) {
  for (const Dims& dims :
       {Dims{16, 16}, Dims{13, 11}, Dims{24, 167}, Dims{8, 8, 5}}) {
    Grid grid = FlatGrid(dims);
    for (VertexId hole = 3; hole < grid.VertexCount(); hole += 11) {
      grid.holes.push_back(hole);
    }
    ExpectHilbertCostsLeast(grid);
  }
  Grid corner = FlatGrid({4, 2});
  corner.holes = {4, 7};
  ExpectHilbertCostsLeast(corner);
}

// Unlike a snake, the curve stays compact beyond a line.
TEST(HilbertOrder, WindowsAreCompactOnLargeMeshes) {
  for (const Dims& dims :
       {Dims{24, 167}, Dims{167, 24}, Dims{99, 101}, Dims{22, 22, 22},
        Dims{100, 10, 4}, Dims{24, 23, 24, 2, 3, 2}}) {
    SCOPED_TRACE(testing::PrintToString(dims));
    const Order hilbert = HilbertOrder(dims);
    const Order snake = Snake(dims);
    for (const std::size_t window : {16U, 64U}) {
      EXPECT_LT(MeanHopsInWindows(dims, hilbert, window),
                0.75 * MeanHopsInWindows(dims, snake, window))
          << "windows of " << window;
    }
  }
}

}  // namespace
}  // namespace coolspan
