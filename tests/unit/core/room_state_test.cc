// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/room_state.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/allocator.h"
#include "mesh_machine.h"
#include "room_machine.h"

namespace coolspan {
namespace {

// Two zones of two nodes; the first warms the second.
Room::Description TwoZones() {
  return RoomDescription(4, 2, {0, 0, 0.015625, 0.0078125});
}

std::shared_ptr<const Room> MakeRoom(Room::Description description) {
  return Room::Create(std::move(description)).value();
}

TEST(RoomTest, AddsWhatAJobDrawsAboveIdle) {
  const auto room = MakeRoom(TwoZones());
  EXPECT_DOUBLE_EQ(room->AddedWatts(0, 0), 200);
  EXPECT_DOUBLE_EQ(room->AddedWatts(0, 0.3), 170);
  EXPECT_EQ(room->IdleWatts(1), 200);
  EXPECT_EQ(std::vector(room->NodesOf(1).begin(), room->NodesOf(1).end()),
            (std::vector<NodeId>{2, 3}));
}

TEST(RoomTest, RefusesWhatIsNoRoom) {
  Room::Description busy_below_idle = TwoZones();
  busy_below_idle.types[0].compute_w = 50;
  EXPECT_EQ(Room::Create(busy_below_idle).status().code(),
            absl::StatusCode::kInvalidArgument);
  Room::Description zone_too_many = TwoZones();
  zone_too_many.zone_of[3] = 2;
  EXPECT_EQ(Room::Create(zone_too_many).status().code(),
            absl::StatusCode::kInvalidArgument);
  Room::Description type_missing = TwoZones();
  type_missing.type_of.pop_back();
  EXPECT_EQ(Room::Create(type_missing).status().message(),
            "3 nodes have a type and 4 a zone; all need both");
}

TEST(RoomStateTest, InletsFollowLoads) {
  RoomState state(MakeRoom(TwoZones()));
  EXPECT_EQ(state.view().it_w(), 400);
  EXPECT_EQ(state.view().inlet_c()[0], 15);
  EXPECT_EQ(state.view().inlet_c()[1], 15 + 200 * 0.0234375);
  state.Follow(std::vector<NodeLoad>{{1, 0}, {}, {}, {0, 1}});
  EXPECT_EQ(state.view().power_w()[0], 400);
  EXPECT_EQ(state.view().power_w()[1], 300);
  EXPECT_EQ(state.view().inlet_c()[1], 15 + 400 * 0.015625 + 300 * 0.0078125);
  state.Follow(std::vector<NodeLoad>(4));
  EXPECT_EQ(state.view().it_w(), 400);
  EXPECT_EQ(state.view().inlet_c()[1], 15 + 200 * 0.0234375);
}

TEST(RoomStateTest, AZoneIsOffOnlyWhenAllItsNodesAre) {
  Room::Description off = TwoZones();
  off.idle_on = false;
  RoomState state(MakeRoom(std::move(off)));
  EXPECT_EQ(state.view().it_w(), 0);
  EXPECT_EQ(state.view().WakingWatts(0), 200);
  state.Follow(std::vector<NodeLoad>{{1, 0}, {}, {}, {}});
  EXPECT_EQ(state.view().it_w(), 400);
  EXPECT_EQ(state.view().WakingWatts(0), 0);
}

TEST(RoomStateTest, TelemetryShiftsInlets) {
  RoomState state(MakeRoom(TwoZones()));
  state.Correct(
      std::make_shared<InletCorrection>(InletCorrection{7, {0.5, -0.25}}));
  EXPECT_EQ(state.view().inlet_c()[0], 15.5);
  EXPECT_EQ(state.view().version(), 7U);
  state.Correct(nullptr);
  EXPECT_EQ(state.view().inlet_c()[0], 15);
}

TEST(LedgerLoadsTest, SumOverWhatCounts) {
  Ledger ledger({4, 4});
  ledger.TrackLoads(0.25F);
  Holding half;
  half.job = {1, 0};
  half.whole = false;
  half.nodes = {0};
  half.units = {2};
  ledger.State(half);
  EXPECT_EQ(ledger.loads()[0], (NodeLoad{0.375F, 0.125F}));
  Holding other = half;
  other.job = {2, 0};
  other.communication_share = 1.0F;
  ledger.State(other);
  EXPECT_EQ(ledger.loads()[0], (NodeLoad{0.375F, 0.625F}));
  ledger.Suspend(1, true);
  EXPECT_EQ(ledger.loads()[0], (NodeLoad{0, 0.5F}));
  ledger.Release(2);
  EXPECT_EQ(ledger.loads()[0], NodeLoad{});
}

// Shows the room it is given, and takes the first nodes.
class ReadsTheRoom final : public Policy {
 public:
  std::string_view name() const override { return "reads-the-room"; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& /*budget*/,
                                  Trace& trace) const override {
    trace.Note("it_w", view.room()->it_w());
    std::vector<NodeId> nodes = view.available().Members();
    nodes.resize(request.demand.min_nodes);
    return Allocation{nodes};
  }
};

TEST(AllocatorRoomTest, DecisionsSeeTheHeatOfAllThatHoldNodes) {
  const auto mesh = MeshMachine(FlatGrid({4}));
  const auto machine =
      InRoom(*mesh, TwoZones(),
             std::shared_ptr<const Topology>(mesh, &mesh->topology()));
  Allocator allocator(machine, std::make_shared<ReadsTheRoom>());
  const auto it_w_seen = [&](std::uint32_t job, std::optional<float> share) {
    AllocateCall call;
    call.job = {job, 0};
    call.request.communication_share = share;
    Budget budget;
    const Decision decision = allocator.Allocate(call, budget).value();
    return std::get<double>(decision.trace.facts()[0].value);
  };
  EXPECT_EQ(it_w_seen(1, 0.0F), 400);
  EXPECT_EQ(it_w_seen(2, 1.0F), 600);
  EXPECT_EQ(it_w_seen(3, std::nullopt), 700);
  allocator.Release({1, 0}, 1);
  EXPECT_EQ(it_w_seen(4, std::nullopt), 670);
}

}  // namespace
}  // namespace coolspan
