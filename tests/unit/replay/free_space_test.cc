// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/free_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "mesh_machine.h"
#include "network_machines.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;

TEST(FreeSpaceTest, IntervalsByPowersOfTwo) {
  const auto machine = MeshMachine(FlatGrid({200}));
  const auto ordering = MakeOrdering(*machine, "row-major").value();
  FreeSpaceMeter meter(*machine, *ordering, false);
  FreeSpace all = meter.Measure();
  EXPECT_THAT(all.intervals, ElementsAre(0, 0, 0, 0, 0, 0, 0, 1));
  EXPECT_EQ(all.largest_interval, 200U);
  EXPECT_FALSE(all.shape.has_value());

  // Free: 1, 3 to 4, 6 to 62, 66 to 199.
  meter.Take({0, 2, 5, 63, 64, 65});
  EXPECT_EQ(meter.free_nodes(), 194U);
  const FreeSpace some = meter.Measure();
  EXPECT_THAT(some.intervals, ElementsAre(1, 1, 0, 0, 0, 1, 0, 1));
  EXPECT_EQ(some.largest_interval, 134U);
  meter.Release({0, 2, 5, 63, 64, 65});
  EXPECT_EQ(meter.Measure(), all);
}

TEST(FreeSpaceTest, NothingIsFree) {
  const auto machine = MeshMachine(FlatGrid({2, 2}));
  const auto ordering = MakeOrdering(*machine, "hilbert").value();
  FreeSpaceMeter meter(*machine, *ordering, true);
  meter.Take({0, 1, 2, 3});
  const FreeSpace space = meter.Measure();
  EXPECT_THAT(space.intervals, ElementsAre());
  EXPECT_EQ(space.largest_interval, 0U);
  ASSERT_TRUE(space.shape.has_value());
  EXPECT_EQ(space.shape->largest_component, 0U);
  EXPECT_EQ(space.largest_box, 0U);
  EXPECT_THAT(space.shape->blocks, ElementsAre(0, 0));
}

// A 6 x 4 mesh without column 3:  . . . # . .
TEST(FreeSpaceTest, ShapesOnAGrid) {
  const auto machine = MeshMachine(FlatGrid({6, 4}));
  const auto ordering = MakeOrdering(*machine, "row-major").value();
  EXPECT_THAT(FreeBlockSizes(machine->topology()), ElementsAre(1, 4, 16));
  FreeSpaceMeter meter(*machine, *ordering, true);
  // Of the two aligned blocks of 16 only the left one is inside.
  EXPECT_THAT(meter.Measure().shape->blocks, ElementsAre(0, 2, 1));
  meter.Take({3, 9, 15, 21});
  const FreeSpace::Shape shape = *meter.Measure().shape;
  EXPECT_EQ(shape.largest_component, 12U);
  EXPECT_EQ(meter.Measure().largest_box, 12U);
  // Columns 0 and 1, 4 and 5: two blocks of 4 each; column 2: single ones.
  EXPECT_THAT(shape.blocks, ElementsAre(4, 4, 0));
}

TEST(FreeSpaceTest, SegmentsInBlocks) {
  const auto machine = BlocksMachine();
  const auto ordering = MakeOrdering(*machine, "row-major").value();
  FreeSpaceMeter meter(*machine, *ordering, false);
  ASSERT_TRUE(meter.Measure().block_space.has_value());
  EXPECT_EQ(meter.Measure().block_space->idle_blocks, 6U);
  EXPECT_EQ(meter.Measure().block_space->largest_job, 24U);
  meter.Take({0, 4, 5, 8, 12, 16, 20});
  const BlockSpace space = *meter.Measure().block_space;
  EXPECT_EQ(space.idle_blocks, 0U);
  EXPECT_THAT(space.segments, ElementsAre(17, 6, 0));
  EXPECT_EQ(space.largest_job, 17U);
  meter.Release({4, 5});
  EXPECT_EQ(meter.Measure().block_space->idle_blocks, 1U);
  const auto tree = FatTreeMachine();
  const auto of_tree = MakeOrdering(*tree, "row-major").value();
  FreeSpaceMeter without(*tree, *of_tree, false);
  EXPECT_FALSE(without.Measure().block_space.has_value());
}

TEST(FreeSpaceTest, SwitchesAndBoxesNeedNoShape) {
  const auto tree = FatTreeMachine();  // leaf switch i = 0..11 has i + 1 nodes
  const auto of_tree = MakeOrdering(*tree, "row-major").value();
  FreeSpaceMeter meter(*tree, *of_tree, false);
  EXPECT_FALSE(meter.Measure().largest_box.has_value());
  EXPECT_THAT(
      meter.Measure().switch_space->levels,
      ElementsAre(SwitchSpace::Level{12, 12}, SwitchSpace::Level{3, 42}));
  meter.Take({0, 77});
  EXPECT_THAT(
      meter.Measure().switch_space->levels,
      ElementsAre(SwitchSpace::Level{10, 11}, SwitchSpace::Level{1, 41}));
  meter.Release({77});
  EXPECT_THAT(
      meter.Measure().switch_space->levels,
      ElementsAre(SwitchSpace::Level{11, 12}, SwitchSpace::Level{2, 42}));
  const auto mesh = MeshMachine(FlatGrid({6, 4}));
  const auto of_mesh = MakeOrdering(*mesh, "row-major").value();
  FreeSpaceMeter boxes(*mesh, *of_mesh, false);
  boxes.Take({3, 9, 15, 21});
  EXPECT_EQ(boxes.Measure().largest_box, 12U);
  EXPECT_FALSE(boxes.Measure().switch_space.has_value());
  const auto large = MeshMachine(FlatGrid({64, 65}));
  const auto of_large = MakeOrdering(*large, "row-major").value();
  EXPECT_FALSE(FreeSpaceMeter(*large, *of_large, false).Measure().largest_box);
}

TEST(FreeSpaceTest, NamesAndValuesOfMeans) {
  const auto machine = BlocksMachine();
  const auto ordering = MakeOrdering(*machine, "row-major").value();
  FreeSpaceMeter meter(*machine, *ordering, false);
  meter.Take({0});
  const FreeSpace space = meter.Measure();
  EXPECT_THAT(
      SpaceNames(space, machine->topology()),
      ElementsAre("free_intervals", "largest_free_interval", "largest_job",
                  "idle_blocks", "idle_segments_1", "idle_segments_2",
                  "idle_segments_4", "largest_switch_0", "idle_switches_0",
                  "largest_switch_1", "idle_switches_1"));
  EXPECT_THAT(SpaceValues(space),
              ElementsAre(1, 23, 23, 5, 23, 11, 5, 4, 5, 8, 2));
}

TEST(FreeSpaceTest, SeveralNodesAtAVertex) {
  Grid grid = FlatGrid({4});
  grid.nodes_per_vertex = 2;
  const auto machine = MeshMachine(grid);
  const auto ordering = MakeOrdering(*machine, "row-major").value();
  EXPECT_THAT(FreeBlockSizes(machine->topology()), ElementsAre(1, 2, 4, 8));
  FreeSpaceMeter meter(*machine, *ordering, true);
  // Vertex 1 keeps one node: it connects, but is not entirely free.
  meter.Take({2});
  const FreeSpace::Shape shape = *meter.Measure().shape;
  EXPECT_EQ(shape.largest_component, 7U);
  EXPECT_EQ(meter.Measure().largest_box, 2U);
  EXPECT_THAT(shape.blocks, ElementsAre(1, 1, 1, 0));
}

}  // namespace
}  // namespace coolspan
