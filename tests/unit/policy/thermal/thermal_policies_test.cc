// SPDX-License-Identifier: GPL-3.0-or-later
// Policies that use the thermal model, against results computed by hand.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "mesh_machine.h"
#include "policy/table.h"
#include "room_machine.h"

namespace coolspan {
namespace {

std::shared_ptr<const Machine> MachineIn(Room::Description room) {
  const auto nodes = static_cast<NodeCount>(room.zone_of.size());
  const auto line = MeshMachine(FlatGrid({nodes}));
  return InRoom(*line, std::move(room));
}

std::vector<NodeId> PlaceAmong(const std::string& name,
                               const std::shared_ptr<const Machine>& machine,
                               const std::vector<NodeId>& free,
                               NodeCount nodes) {
  const auto policy =
      MakePolicy(name, machine, {MakeOrdering(*machine, "row-major").value()})
          .value();
  const NodeSet available(machine->node_count(), free);
  const RoomWithJobs room(*machine, available);
  Request request;
  request.demand = Demand::Nodes(nodes);
  Budget budget;
  Trace trace;
  return policy
      ->Place(MachineView(*machine, available, {}, 0, room.view()), request,
              budget, trace)
      .value()
      .nodes;
}

// v = D p^max = 300 W * (4, 5, 3) mK/W and r = p^max (D^T v) as below. With D
// transposed the order would differ.
TEST(LrhTest, HeatGoesFromColumnToRow) {
  const auto machine = MachineIn(
      RoomDescription(3, 3, {0.001, 0.003, 0, 0.002, 0, 0.003, 0, 0.003, 0}));
  // D^T v: node 0: 1*4 + 2*5 = 14; node 1: 3*4 + 3*3 = 21; node 2: 3*5 = 15.
  EXPECT_EQ(PlaceAmong("lrh", machine, {0, 1, 2}, 1), (std::vector<NodeId>{0}));
  EXPECT_EQ(PlaceAmong("lrh", machine, {0, 1, 2}, 2),
            (std::vector<NodeId>{0, 2}));
  EXPECT_EQ(PlaceAmong("lrh", machine, {1, 2}, 1), (std::vector<NodeId>{2}));
}

// The transpose ranks by D v with v = D^T p: here 1 before 0.
TEST(LrhTest, RanksByDAndNotByItsTranspose) {
  const auto machine = MachineIn(RoomDescription(2, 2, {0.001, 0, 0.004, 0}));
  EXPECT_EQ(PlaceAmong("lrh", machine, {0, 1}, 1), (std::vector<NodeId>{1}));
  const auto transposed =
      MachineIn(RoomDescription(2, 2, {0.001, 0.004, 0, 0}));
  EXPECT_EQ(PlaceAmong("lrh", transposed, {0, 1}, 1), (std::vector<NodeId>{0}));
}

TEST(LrhTest, RanksIncludeTheNodesPower) {
  Room::Description room = RoomDescription(4, 2, {0.002, 0, 0, 0.003});
  room.types.push_back({.idle_w = 50, .compute_w = 100, .communicate_w = 90});
  room.type_of = {0, 1, 0, 1};
  const auto machine = MachineIn(std::move(room));
  EXPECT_EQ(PlaceAmong("lrh", machine, {0, 1, 2, 3}, 3),
            (std::vector<NodeId>{0, 1, 3}));
}

TEST(MinHrTest, MinimisesColumnSumsTimesAddedWatts) {
  Room::Description room = RoomDescription(
      3, 3, {0.001, 0.004, 0, 0.001, 0, 0.003, 0.001, 0, 0.002});
  const auto machine = MachineIn(room);
  EXPECT_EQ(PlaceAmong("min-hr", machine, {0, 1, 2}, 2),
            (std::vector<NodeId>{0, 1}));
  room.types.push_back({.idle_w = 100, .compute_w = 900, .communicate_w = 900});
  room.type_of = {1, 0, 0};
  EXPECT_EQ(PlaceAmong("min-hr", MachineIn(room), {0, 1, 2}, 2),
            (std::vector<NodeId>{1, 2}));
}

// The idle power of one more zone outweighs a slightly higher column sum.
TEST(MinHrTest, FillsZonesBeforeSwitchingOnOthers) {
  Room::Description room = RoomDescription(6, 2, {0.0010, 0, 0, 0.0011});
  room.idle_on = false;
  const auto machine = MachineIn(room);
  EXPECT_EQ(PlaceAmong("min-hr", machine, {0, 1, 2, 3, 4, 5}, 4),
            (std::vector<NodeId>{0, 1, 2, 3}));
  // Node 3 is busy, so zone 1 is on.
  EXPECT_EQ(PlaceAmong("min-hr", machine, {0, 1, 2, 4, 5}, 2),
            (std::vector<NodeId>{4, 5}));
}

TEST(CoolestInletTest, TakesTheCoolestInletsThenTheSmallestId) {
  // Node 3 is busy and heats inlet 0; inlets 1 and 2 are equal.
  const auto machine = MachineIn(RoomDescription(
      4, 4, {0, 0, 0, 0.01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.01}));
  EXPECT_EQ(PlaceAmong("coolest-inlet", machine, {0, 1, 2}, 1),
            (std::vector<NodeId>{1}));
  EXPECT_EQ(PlaceAmong("coolest-inlet", machine, {0, 1, 2}, 2),
            (std::vector<NodeId>{1, 2}));
}

TEST(ThermalPoliciesTest, NeedARoom) {
  const auto machine = MeshMachine(FlatGrid({4}));
  const auto refused =
      MakePolicy("lrh", machine, {MakeOrdering(*machine, "row-major").value()});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ThermalPoliciesTest, PlaceNothingWithoutARoomView) {
  const auto machine = MachineIn(RoomDescription(2, 2, {0, 0, 0, 0}));
  const NodeSet available = NodeSet::All(2);
  Request request;
  for (const PolicyEntry& entry : PolicyTable()) {
    if (!entry.uses_room) continue;
    const auto policy =
        MakePolicy(entry.name, machine,
                   {MakeOrdering(*machine, "row-major").value()})
            .value();
    Budget budget;
    Trace trace;
    EXPECT_FALSE(policy->Place(MachineView(*machine, available, {}, 0), request,
                               budget, trace))
        << entry.name;
  }
}

}  // namespace
}  // namespace coolspan
