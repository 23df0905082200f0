// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/choice_cost.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/allocator.h"
#include "mesh_machine.h"
#include "room_machine.h"
#include "topology/fat_tree.h"

namespace coolspan {
namespace {

constexpr double kKelvinPerWatt = 0.01;

// A row of nodes, each of which heats its own inlet and the next one.
std::shared_ptr<const Machine> RowInRoom(NodeCount nodes) {
  std::vector<double> heat(std::size_t{nodes} * nodes);
  for (NodeCount i = 0; i < nodes; ++i) {
    heat[i * nodes + i] = kKelvinPerWatt;
    if (i > 0) heat[i * nodes + i - 1] = kKelvinPerWatt;
  }
  return InRoom(*MeshMachine(FlatGrid({nodes})),
                RoomDescription(nodes, nodes, heat));
}

// The advice for job 1: proposed on `decided`, started on `actual`.
Advice AdviceOf(std::shared_ptr<const Machine> machine,
                std::vector<NodeId> decided, std::vector<NodeId> actual) {
  Allocator allocator(std::move(machine));
  const auto commit = [&](std::vector<NodeId> nodes) {
    Allocator::Fact fact;
    fact.job = {1, 0};
    fact.nodes = std::move(nodes);
    allocator.Commit(std::move(fact), 1000);
    return allocator.ledger().FindShared(1);
  };
  const auto before = commit(std::move(decided));
  const MachineSnapshot snapshot = allocator.Snapshot();
  const auto after = commit(std::move(actual));
  return {before, after, snapshot, allocator.Snapshot()};
}

// All nodes on one switch.
std::shared_ptr<const Machine> StarMachine(NodeCount nodes) {
  std::vector<std::string> names;
  for (NodeId node = 0; node < nodes; ++node) {
    names.push_back("n" + std::to_string(node));
  }
  return Machine::Create("star", std::move(names),
                         MakeFatTree({{0}, {nodes}}).value())
      .value();
}

TEST(ChoiceCostTest, MeanIsPerPair) {
  EXPECT_EQ((ChoiceCost{1, 0, {}}).pairwise_mean(), 0);
  EXPECT_EQ((ChoiceCost{4, 12, {}}).pairwise_mean(), 2);
}

TEST(ChoiceCostTest, WithoutARoomOnlyHopsAreKnown) {
  const auto cost =
      CostOf(AdviceOf(MeshMachine(FlatGrid({8})), {0, 1}, {2, 7}));
  ASSERT_TRUE(cost.has_value());
  EXPECT_EQ(*cost, (AdviceCost{{2, 1, {}}, {2, 5, {}}}));
}

TEST(ChoiceCostTest, CoolingPowerIsThatAfterTheStart) {
  const auto machine = RowInRoom(8);
  const Room& room = *machine->room();
  const double busy_w = 300 * 0.7 + 200 * 0.3;
  const double it_w = 6 * 100 + 2 * busy_w;
  // Neighbours heat one inlet, nodes apart do not.
  const double together_c = room.SupplyMaxC(15 + kKelvinPerWatt * 2 * busy_w);
  const double apart_c = room.SupplyMaxC(15 + kKelvinPerWatt * (busy_w + 100));
  const auto cost = CostOf(AdviceOf(machine, {3, 4}, {3, 6}));
  ASSERT_TRUE(cost.has_value());
  EXPECT_NEAR(*cost->decided.cooling_w, it_w / room.CopAt(together_c), 1e-6);
  EXPECT_NEAR(*cost->actual.cooling_w, it_w / room.CopAt(apart_c), 1e-6);
  EXPECT_GT(*cost->decided.cooling_w, *cost->actual.cooling_w);
}

TEST(ChoiceCostTest, TheSameNodesHaveTheSameCost) {
  const auto cost = CostOf(AdviceOf(RowInRoom(8), {2, 3}, {2, 3}));
  ASSERT_TRUE(cost.has_value());
  EXPECT_EQ(cost->decided, cost->actual);
}

TEST(ChoiceCostTest, LargeJobsNeedCoordinates) {
  constexpr NodeCount kNodes = kMaxNodesCompared + 2;
  std::vector<NodeId> nodes(kNodes - 1);
  for (NodeId node = 0; node < nodes.size(); ++node) nodes[node] = node;
  EXPECT_TRUE(CostOf(AdviceOf(MeshMachine(FlatGrid({kNodes})), nodes, nodes))
                  .has_value());
  const std::shared_ptr<const Machine> star = StarMachine(kNodes);
  EXPECT_FALSE(CostOf(AdviceOf(star, nodes, {0})).has_value());
  EXPECT_TRUE(CostOf(AdviceOf(star, {0, 1}, {1, 2})).has_value());
}

}  // namespace
}  // namespace coolspan
