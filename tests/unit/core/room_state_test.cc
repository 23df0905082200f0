// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/room_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
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

TEST(RoomTest, AddsJobPowerAboveIdle) {
  const auto room = MakeRoom(TwoZones());
  EXPECT_DOUBLE_EQ(room->AddedWatts(0, 0), 200);
  EXPECT_DOUBLE_EQ(room->AddedWatts(0, 0.3), 170);
  EXPECT_EQ(room->IdleWatts(1), 200);
  EXPECT_EQ(std::vector(room->NodesOf(1).begin(), room->NodesOf(1).end()),
            (std::vector<NodeId>{2, 3}));
}

TEST(RoomTest, RefusesInvalidRooms) {
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
            "3 nodes with a type, 4 with a zone (expected the same number)");
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

TEST(RoomTest, CoolingByThePolynomial) {
  Room::Description description = TwoZones();
  description.cop = {1, 2, -8};
  const auto room = MakeRoom(std::move(description));
  EXPECT_EQ(room->CopAt(3), 7);
  EXPECT_EQ(room->CoolingWatts(700, 3), 100);
  EXPECT_EQ(room->CoolingWatts(700, 2), HUGE_VAL);
  EXPECT_EQ(room->SupplyMaxC(41), 15 + 30 - 41);
}

// What With says is what Follow comes to, and nothing stays of it.
TEST(RoomStateTest, ForecastEqualsTheStateAfterTheJobs) {
  for (const bool idle_on : {true, false}) {
    Room::Description description = TwoZones();
    description.idle_on = idle_on;
    const auto room = MakeRoom(std::move(description));
    RoomState state(room);
    state.Follow(std::vector<NodeLoad>{{0.5, 0}, {}, {}, {}});
    const double it_w = state.view().it_w();
    const std::vector<RoomState::MoreLoad> more = {
        {0, {0.5, 0}}, {2, {0.25, 0.75}}, {3, {0, 1}}};
    const RoomState::Forecast forecast = state.With(more);
    EXPECT_EQ(state.view().it_w(), it_w);
    state.Follow(std::vector<NodeLoad>{{0.5, 0}, {}, {}, {}});
    EXPECT_EQ(state.view().it_w(), it_w);
    EXPECT_EQ(forecast, state.With(more));

    RoomState then(room);
    then.Follow(std::vector<NodeLoad>{{1, 0}, {}, {0.25, 0.75}, {0, 1}});
    EXPECT_EQ(forecast.it_w, then.view().it_w());
    EXPECT_EQ(forecast.peak_inlet_c, then.view().inlet_c()[1]);
  }
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

TEST(LedgerLoadsTest, SumHoldingsThatAreNotSuspended) {
  Ledger ledger({4, 4});
  ledger.TrackLoads(0.25F);
  Holding half;
  half.job = {1, 0};
  half.whole = false;
  half.nodes = {0};
  half.units = {2};
  ledger.RecordCommitted(half);
  EXPECT_EQ(ledger.loads()[0], (NodeLoad{0.375F, 0.125F}));
  Holding other = half;
  other.job = {2, 0};
  other.communication_share = 1.0F;
  ledger.RecordCommitted(other);
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
    if (view.room() != nullptr) trace.Note("it_w", view.room()->it_w());
    std::vector<NodeId> nodes = view.available().Members();
    nodes.resize(request.demand.min_nodes);
    return Allocation{nodes};
  }
};

// Four nodes in a row.
std::shared_ptr<const Machine> LineIn(Room::Description room) {
  return InRoom(*MeshMachine(FlatGrid({4})), std::move(room));
}

TEST(AllocatorRoomTest, DecisionsIncludeTheHeatOfAllHoldings) {
  Allocator allocator(LineIn(TwoZones()));
  const auto it_w_seen = [&](std::uint32_t job, std::optional<float> share) {
    AllocateCall call;
    call.job = {job, 0};
    call.request.communication_share = share;
    Budget budget;
    const Decision decision =
        *allocator.Allocate(call, {ReadsTheRoom()}, budget).value();
    return std::get<double>(decision.trace.facts()[0].value);
  };
  EXPECT_EQ(it_w_seen(1, 0.0F), 400);
  EXPECT_EQ(it_w_seen(2, 1.0F), 600);
  EXPECT_EQ(it_w_seen(3, std::nullopt), 700);
  allocator.Release({1, 0}, 1);
  EXPECT_EQ(it_w_seen(4, std::nullopt), 670);
}

// What a job draws follows what it asked with, also where Slurm says that it
// runs elsewhere, or only when its promise has expired.
TEST(AllocatorRoomTest, RunningJobsKeepTheRequestedShare) {
  Allocator allocator(LineIn(TwoZones()));
  AllocateCall call;
  call.job = {1, 0};
  call.request.communication_share = 0.25F;
  Budget budget;
  ASSERT_TRUE(allocator.Allocate(call, {ReadsTheRoom()}, budget).ok());
  const auto share = [&allocator] {
    return allocator.ledger().Find(1)->communication_share;
  };
  EXPECT_EQ(share(), 0.25F);
  Allocator::Fact fact;
  fact.job = {1, 0};
  fact.nodes = {2};
  const TimeMs late_ms = Allocator::kTentativeMs + 1;
  allocator.AdvanceTo(late_ms);
  ASSERT_EQ(allocator.ledger().Find(1), nullptr);
  allocator.Commit(fact, late_ms);
  EXPECT_EQ(share(), 0.25F);
  allocator.Sync({}, {fact}, late_ms);
  EXPECT_EQ(share(), 0.25F);
  fact.communication_share = 1.0F;
  allocator.Resize(fact, late_ms);
  EXPECT_EQ(share(), 1.0F);
  fact.communication_share.reset();
  fact.job.restart = 1;
  allocator.Commit(fact, late_ms);
  EXPECT_EQ(share(), std::nullopt) << "of another run";
}

// The facts that the Allocator itself has noted, by name.
std::optional<double> FactOf(const Decision& decision, std::string_view name) {
  std::optional<double> value;
  for (const Trace::Fact& fact : decision.trace.facts()) {
    if (fact.name == name) value = std::get<double>(fact.value);
  }
  return value;
}

std::optional<std::int64_t> CountOf(const Decision& decision,
                                    std::string_view name) {
  std::optional<std::int64_t> value;
  for (const Trace::Fact& fact : decision.trace.facts()) {
    if (fact.name == name) value = std::get<std::int64_t>(fact.value);
  }
  return value;
}

// The decision of a job of a node in TwoZones, but for what `change` does.
Decision DecisionIn(const std::function<void(Room::Description&)>& change,
                    std::shared_ptr<const InletCorrection> correction) {
  Room::Description room = TwoZones();
  change(room);
  Allocator allocator(LineIn(std::move(room)));
  allocator.CorrectRoom(std::move(correction));
  AllocateCall call;
  call.job = {1, 0};
  Budget budget;
  return *allocator.Allocate(call, {ReadsTheRoom()}, budget).value();
}

TEST(AllocatorRoomTest, DecisionsRecordTheTelemetryVersion) {
  const auto nothing = [](Room::Description&) {};
  EXPECT_EQ(CountOf(DecisionIn(nothing, nullptr), "telemetry_version"),
            std::nullopt);
  const auto taught =
      std::make_shared<const InletCorrection>(InletCorrection{7, {0.5, 0.25}});
  EXPECT_EQ(CountOf(DecisionIn(nothing, taught), "telemetry_version"), 7);
}

TEST(AllocatorRoomTest, NoAddedCoolingOutsideTheCopRange) {
  EXPECT_TRUE(FactOf(DecisionIn([](Room::Description&) {}, nullptr),
                     "cooling_added_w"));
  const auto below_its_range = [](Room::Description& room) {
    room.supply_c = -1;
    room.redline_c = -1;  // so the supply has to be colder
    room.cop = {0.01, 0, 0.5};
  };
  const Decision decision = DecisionIn(below_its_range, nullptr);
  EXPECT_TRUE(FactOf(decision, "peak_inlet_after_c"));
  EXPECT_EQ(FactOf(decision, "cooling_added_w"), std::nullopt);
}

TEST(AllocatorRoomTest, DecisionsRecordTheEffectOnTheRoom) {
  const auto machine = LineIn(TwoZones());
  Allocator allocator(machine, std::vector<Units>(4, 4));
  AllocateCall call;
  call.job = {1, 0};
  call.request.demand = Demand::Nodes(2);
  call.request.communication_share = 0.5F;
  Budget budget;
  const Decision decision =
      *allocator.Allocate(call, {ReadsTheRoom()}, budget).value();
  // Nodes 0 and 1, the zone that warms the other, draw 150 W more each.
  const double before_c = 15 + 200 * 0.0234375;
  const double after_c = before_c + 300 * 0.015625;
  EXPECT_EQ(FactOf(decision, "peak_inlet_before_c"), 19.688);
  EXPECT_EQ(FactOf(decision, "peak_inlet_after_c"), 24.375);
  EXPECT_EQ(FactOf(decision, "communication_share"), 0.5);
  const Room& room = *machine->room();
  EXPECT_NEAR(FactOf(decision, "cooling_added_w").value(),
              room.CoolingWatts(700, 45 - after_c) -
                  room.CoolingWatts(400, 45 - before_c),
              0.001);
  // A quarter of node 2, which is what a share takes of it.
  call.job = {2, 0};
  call.request.whole = false;
  call.request.demand = Demand{1, 1, 1};
  const Decision share =
      *allocator.Allocate(call, {ReadsTheRoom()}, budget).value();
  EXPECT_EQ(share.allocation.nodes, std::vector<NodeId>{2});
  EXPECT_EQ(FactOf(share, "peak_inlet_before_c"), 24.375);
  EXPECT_NEAR(FactOf(share, "peak_inlet_after_c").value(),
              after_c + 37.5 * 0.0078125, 0.001);
}

TEST(AllocatorRoomTest, NoHeatFactsWithoutARoom) {
  Allocator allocator(MeshMachine(FlatGrid({4})));
  Budget budget;
  AllocateCall call;
  call.job = {1, 0};
  const Decision decision =
      *allocator.Allocate(call, {ReadsTheRoom()}, budget).value();
  EXPECT_EQ(FactOf(decision, "peak_inlet_after_c"), std::nullopt);
}

}  // namespace
}  // namespace coolspan
