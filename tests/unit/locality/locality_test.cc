// SPDX-License-Identifier: GPL-3.0-or-later
#include "locality/locality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "locality/smallest_box.h"
#include "mesh_machine.h"
#include "ordering/ordering_cost.h"

namespace coolspan {
namespace {

using testing::ElementsAre;

TEST(LocalityTest, TwoCornersOfAMesh) {
  const auto machine = MeshMachine(FlatGrid({8, 8, 5}));
  const auto ordering = MakeOrdering(*machine, "row-major").value();
  const std::vector<NodeId> nodes = {319, 0};
  const Locality locality =
      LocalityMeter(machine->topology(), *ordering).Measure(nodes);
  EXPECT_EQ(locality.pairwise_total, 7U + 7U + 4U);
  EXPECT_EQ(locality.pairwise_mean, 18);
  EXPECT_EQ(locality.comm_cost, 18);
  EXPECT_EQ(locality.linear_span, 320U);
  EXPECT_EQ(locality.ring_span, 2U);
  EXPECT_EQ(locality.stretch_span, 1);
  ASSERT_TRUE(locality.box.has_value());
  EXPECT_EQ(locality.box->size, 320U);
  EXPECT_EQ(locality.box->dims_sum, 21U);
  EXPECT_EQ(locality.box->cube, 512U);
  EXPECT_EQ(locality.box->box_expansion, 160);
  EXPECT_EQ(locality.box->cube_expansion, 64);
  EXPECT_EQ(locality.components, 2U);
}

TEST(LocalityTest, BoxesWrap) {
  const auto machine = MeshMachine(TorusGrid({8, 8}));
  const auto ordering = MakeOrdering(*machine, "row-major").value();
  const std::vector<NodeId> corners = {0, 7, 56, 63};
  const Locality locality =
      LocalityMeter(machine->topology(), *ordering).Measure(corners);
  EXPECT_EQ(locality.box->size, 4U);
  EXPECT_EQ(locality.box->cube_expansion, 1);
  EXPECT_EQ(locality.components, 1U);
}

TEST(LocalityTest, NodesOfAVertexHaveDistanceZero) {
  Grid grid = FlatGrid({4, 4});
  grid.nodes_per_vertex = 4;
  const auto machine = MeshMachine(grid);
  const auto ordering = MakeOrdering(*machine, "hilbert").value();
  const std::vector<NodeId> nodes = {20, 21, 22, 23};
  const Locality locality =
      LocalityMeter(machine->topology(), *ordering).Measure(nodes);
  EXPECT_EQ(locality.pairwise_total, 0U);
  EXPECT_EQ(locality.box->size, 1U);
  EXPECT_EQ(locality.box->box_expansion, 1);
  EXPECT_EQ(locality.components, 1U);
}

TEST(LocalityTest, MetricsHaveAFixedOrderAndAbsentOnesAreNull) {
  std::vector<std::pair<std::string, bool>> seen;
  Locality locality{};
  VisitMetrics(locality,
               [&](std::string_view key, std::optional<double> value) {
                 seen.emplace_back(key, value.has_value());
               });
  EXPECT_THAT(
      seen,
      ElementsAre(
          std::pair("pairwise_total", true), std::pair("pairwise_mean", true),
          std::pair("comm_cost", true), std::pair("linear_span", true),
          std::pair("ring_span", true), std::pair("stretch_span", true),
          std::pair("box_size", false), std::pair("box_dims_sum", false),
          std::pair("box_cube", false), std::pair("box_expansion", false),
          std::pair("cube_expansion", false), std::pair("components", true),
          std::pair("ideal_pairwise_total", true)));
}

TEST(SmallestBoxTest, FitsInTheMesh) {
  const std::vector<std::uint32_t> flat = {16, 2};
  EXPECT_EQ(SmallestBox(flat, 1), 1U);
  EXPECT_EQ(SmallestBox(flat, 7), 7U);
  EXPECT_EQ(SmallestBox(flat, 17), 18U);
  EXPECT_EQ(SmallestBox(flat, 31), 32U);
  const std::vector<std::uint32_t> cplant = {8, 8, 5};
  EXPECT_EQ(SmallestBox(cplant, 11), 12U);
  EXPECT_EQ(SmallestBox(cplant, 320), 320U);
  EXPECT_EQ(SmallestCube(3, 11), 27U);
  EXPECT_EQ(SmallestCube(3, 27), 27U);
  EXPECT_EQ(SmallestCube(1, 1'000'003), 1'000'003U);
}

TEST(OrderingCostTest, ALineAndASingleNode) {
  const auto line = MeshMachine(FlatGrid({3}));
  const OrderingCost cost = MeasureOrdering(
      line->topology(), *MakeOrdering(*line, "row-major").value());
  EXPECT_EQ(cost.max_step, 1U);
  EXPECT_EQ(cost.mean_step, 1);
  EXPECT_EQ(cost.locality_cost, 2 * 0.5 + 2 * 0.25);
  EXPECT_EQ(cost.locality_cost_ring, (1 + 1 + 2) * 0.5);
  const auto one = MeshMachine(FlatGrid({1}));
  EXPECT_EQ(MeasureOrdering(one->topology(), *MakeOrdering(*one, "").value())
                .locality_cost_ring,
            0);
}

}  // namespace
}  // namespace coolspan
