// SPDX-License-Identifier: GPL-3.0-or-later
// The ideal total of an empty machine against the exact policy.
#include "locality/ideal_total.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "mesh_machine.h"
#include "network_machines.h"
#include "property/draw_grid.h"
#include "property/placement_question.h"
#include "sanitized.h"

namespace coolspan {
namespace {

PlacementQuestion EmptyMachine(const std::shared_ptr<const Machine>& machine,
                               NodeCount nodes) {
  PlacementQuestion question;
  question.machine = machine;
  question.free = NodeSet::All(machine->node_count()).Members();
  question.nodes = nodes;
  return question;
}

TEST(IdealTotalProperty, IsOptimalOnSmallMachines) {
  constexpr NodeCount kSmall = 60;
  std::mt19937 random(1);
  for (int i = 0; i < Rounds(120, 30); ++i) {
    const auto machine = MeshMachine(DrawGrid({20, 6, 3}, random));
    if (machine->node_count() > kSmall) continue;
    IdealTotals ideal(machine->topology());
    for (NodeCount nodes = 1; nodes <= machine->node_count(); ++nodes) {
      const Placed placed =
          Place(EmptyMachine(machine, nodes), "exact", {}, Budget(1'000'000));
      const auto total = static_cast<std::int64_t>(ideal.For(nodes));
      ASSERT_GE(total, placed.Fact("lower_bound")) << i << " " << nodes;
      ASSERT_LE(total, placed.Fact("total")) << i << " " << nodes;
    }
  }
}

TEST(IdealTotalProperty, IsNoWorseThanExactOnNetworks) {
  for (const auto& machine : {FatTreeMachine(), DragonflyMachine(),
                              GraphMachine(), HopMatrixMachine()}) {
    IdealTotals ideal(machine->topology());
    for (NodeCount nodes = 1; nodes <= std::min(24U, machine->node_count());
         ++nodes) {
      PolicyOptions options;
      options.ordering = std::make_shared<const Ordering>(
          Ordering::Create("ids", NodeSet::All(machine->node_count()).Members())
              .value());
      const Placed placed = Place(EmptyMachine(machine, nodes), "exact",
                                  options, Budget(300'000));
      const auto total = static_cast<std::int64_t>(ideal.For(nodes));
      ASSERT_GE(total, placed.Fact("lower_bound"))
          << machine->name() << " " << nodes;
      ASSERT_LE(total, placed.Fact("total")) << machine->name() << " " << nodes;
    }
  }
}

TEST(IdealTotalProperty, NoPolicyIsBetterOnAnEmptyMachine) {
  const std::vector<Grid> grids = {FlatGrid({16, 16}), FlatGrid({6, 5, 4}),
                                   TorusGrid({8, 8, 8}), FlatGrid({30, 3})};
  for (const Grid& grid : grids) {
    const auto machine = InSomeRoom(MeshMachine(grid), 20, 1);
    IdealTotals ideal(machine->topology());
    for (const PolicyEntry& entry : PolicyTable()) {
      for (NodeCount nodes = 2; nodes <= 90; nodes += 3) {
        const Placed placed =
            Place(EmptyMachine(machine, nodes), std::string(entry.name), {},
                  Budget(100'000));
        ASSERT_LE(ideal.For(nodes),
                  machine->topology().PairwiseTotal(placed.nodes))
            << entry.name << " " << nodes;
      }
    }
  }
}

// Optimal totals in the plane by exhaustive search (Bender et al., figure 2,
// shows the smallest shapes).
TEST(IdealTotalTest, RoundedShapesInThePlane) {
  const auto machine = MeshMachine(FlatGrid({24, 24}));
  IdealTotals ideal(machine->topology());
  const std::vector<std::uint64_t> totals = {0,  1,  4,  8,  16,  25,
                                             38, 54, 72, 96, 124, 152};
  for (NodeCount nodes = 1; nodes <= totals.size(); ++nodes) {
    EXPECT_EQ(ideal.For(nodes), totals[nodes - 1]) << nodes;
  }
}

}  // namespace
}  // namespace coolspan
