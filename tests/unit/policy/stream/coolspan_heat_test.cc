// SPDX-License-Identifier: GPL-3.0-or-later
// The policy coolspan in a room.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "mesh_machine.h"
#include "policy/stream/cooling_curve.h"
#include "policy/table.h"
#include "room_machine.h"

namespace coolspan {
namespace {

// A line of 12 nodes. The nodes 0 to 3 warm the inlet of node 0 much, the
// others hardly.
std::shared_ptr<const Machine> LineWithHotEnd() {
  std::vector<double> heat(144, 0);
  for (std::size_t i = 0; i < 12; ++i) {
    heat[i] = i < 4 ? 0.01 : 0.0005;
    heat[12 * i + i] += 0.001;
  }
  return InRoom(*MeshMachine(FlatGrid({12})), RoomDescription(12, 12, heat));
}

struct Placed {
  std::vector<NodeId> nodes;
  Trace trace;
};

Placed PlaceOn(const std::shared_ptr<const Machine>& machine,
               const std::string& spec, const std::vector<NodeId>& free,
               const Request& request, const RecentStarts* starts = nullptr,
               Budget budget = Budget()) {
  const auto policy =
      MakePolicy(spec, machine, {MakeOrdering(*machine, "row-major").value()})
          .value();
  const NodeSet available(machine->node_count(), free);
  const RoomWithJobs room(*machine, available);
  Placed placed;
  placed.nodes =
      policy
          ->Place(MachineView(*machine, available, {}, 0, room.view(), nullptr,
                              1'000'000, starts),
                  request, budget, placed.trace)
          .value()
          .nodes;
  return placed;
}

Request JobOf(NodeCount nodes) {
  Request request;
  request.demand = Demand::Nodes(nodes);
  request.expected_run_ms = 600'000;
  return request;
}

std::optional<Trace::Value> FactOf(const Trace& trace, std::string_view name) {
  for (const Trace::Fact& fact : trace.facts()) {
    if (fact.name == name) return fact.value;
  }
  return std::nullopt;
}

const std::vector<NodeId> kEnds = {0, 1, 2, 8, 10, 11};

TEST(CoolspanHeatTest, TakesCoolerNodesThatAreFartherApart) {
  const auto machine = LineWithHotEnd();
  // By distance alone the hot end, which is contiguous.
  EXPECT_EQ(PlaceOn(machine, "coolspan:heat=0", kEnds, JobOf(3)).nodes,
            (std::vector<NodeId>{0, 1, 2}));
  EXPECT_EQ(PlaceOn(machine, "coolspan", kEnds, JobOf(3)).nodes,
            (std::vector<NodeId>{8, 10, 11}));
}

TEST(CoolspanHeatTest, APriceOfNodesMakesTimeWorthMore) {
  const auto machine = LineWithHotEnd();
  EXPECT_EQ(PlaceOn(machine, "coolspan:node-price=100", kEnds, JobOf(3)).nodes,
            (std::vector<NodeId>{0, 1, 2}));
  EXPECT_EQ(PlaceOn(machine, "coolspan:node-price=100:energy-price=100000",
                    kEnds, JobOf(3))
                .nodes,
            (std::vector<NodeId>{8, 10, 11}));
}

TEST(CoolspanHeatTest, WithoutHeatTheRoomDoesNotMatter) {
  const auto in_room = LineWithHotEnd();
  const auto without = MeshMachine(FlatGrid({12}));
  for (const NodeCount nodes : {1U, 2U, 4U, 5U}) {
    EXPECT_EQ(PlaceOn(in_room, "coolspan:heat=0", kEnds, JobOf(nodes)).nodes,
              PlaceOn(without, "coolspan", kEnds, JobOf(nodes)).nodes);
  }
}

// The cost of the chosen nodes by its definition, with all inlets and the idle
// power of nodes that wake up.
TEST(CoolspanHeatTest, TheCostIsThatOfAllInlets) {
  for (const std::uint32_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    const auto machine = InSomeRoom(MeshMachine(FlatGrid({8, 6})), 48, seed);
    std::vector<NodeId> free;
    for (NodeId node = 0; node < 48; ++node) {
      if ((node * 7 + seed) % 5 < 3) free.push_back(node);
    }
    const Placed placed = PlaceOn(machine, "coolspan", free, JobOf(6));
    const NodeSet available(48, free);
    const RoomWithJobs room(*machine, available);
    const double lambda =
        std::get<double>(*FactOf(placed.trace, "perimeter_weight"));
    const NodeSet chosen(48, placed.nodes);
    double cut = 0;
    for (const NodeId a : placed.nodes) {
      for (const NodeId b : free) {
        const bool is_cut =
            !chosen.Contains(b) && machine->topology().Distance(a, b) == 1;
        cut += is_cut ? 1 : 0;
      }
    }
    const double mean =
        static_cast<double>(machine->topology().PairwiseTotal(placed.nodes)) /
        15;
    const CoolingCurve curve(*machine->room());
    const double expected =
        std::get<double>(*FactOf(placed.trace, "watts_per_hop")) *
            (mean + lambda * cut) +
        curve.WattsWith(*room.view(), placed.nodes,
                        machine->room()->communication_share());
    EXPECT_NEAR(std::get<double>(*FactOf(placed.trace, "cost_w")), expected,
                1e-3)
        << seed;
  }
}

TEST(CoolspanHeatTest, ACopOfZeroStillLeavesAChoice) {
  Room::Description room = RoomDescription(12, 12, RandomHeat(12, 0.001, 1));
  room.cop = {0, 0, 0};
  const auto machine = InRoom(*MeshMachine(FlatGrid({12})), room);
  const Placed placed = PlaceOn(machine, "coolspan", kEnds, JobOf(3));
  EXPECT_EQ(std::set<NodeId>(placed.nodes.begin(), placed.nodes.end()).size(),
            3U);
  EXPECT_TRUE(std::isfinite(std::get<double>(*FactOf(placed.trace, "cost_w"))));
}

// What hybrid finds is a candidate: it is never cooler and as compact.
TEST(CoolspanHeatTest, HybridIsNotBetterOnBothAxes) {
  const auto large = InSomeRoom(MeshMachine(FlatGrid({40, 30})), 40, 3);
  std::vector<NodeId> free;
  for (NodeId node = 0; node < 1200; ++node) {
    if (node / 13 % 3 != 0) free.push_back(node);
  }
  const NodeSet available(1200, free);
  const RoomWithJobs room(*large, available);
  const CoolingCurve curve(*large->room());
  const auto watts_of = [&](const std::vector<NodeId>& nodes) {
    return curve.WattsWith(*room.view(), nodes,
                           large->room()->communication_share());
  };
  for (const NodeCount nodes : {5U, 40U, 150U}) {
    const Placed ours = PlaceOn(large, "coolspan", free, JobOf(nodes));
    const Placed hybrid = PlaceOn(large, "hybrid", free, JobOf(nodes));
    EXPECT_TRUE(watts_of(ours.nodes) <= watts_of(hybrid.nodes) + 1e-6 ||
                large->topology().PairwiseTotal(ours.nodes) <=
                    large->topology().PairwiseTotal(hybrid.nodes));
  }
}

TEST(CoolspanHeatTest, PlaysFuturesOfARecentStream) {
  const auto machine = InSomeRoom(MeshMachine(FlatGrid({4, 3})), 12, 5);
  RecentStarts starts;
  for (TimeMs i = 0; i < 8; ++i) starts.Add({i * 100'000, 2, 500'000});
  const std::vector<NodeId> free = {0, 1, 2, 4, 5, 6, 8, 9, 10};
  const Placed looked = PlaceOn(machine, "coolspan", free, JobOf(3), &starts);
  EXPECT_GT(std::get<std::int64_t>(*FactOf(looked.trace, "futures")), 0);
  const Placed again = PlaceOn(machine, "coolspan", free, JobOf(3), &starts);
  EXPECT_EQ(looked.nodes, again.nodes);
  const Placed none =
      PlaceOn(machine, "coolspan:futures=0", free, JobOf(3), &starts);
  EXPECT_EQ(std::get<std::int64_t>(*FactOf(none.trace, "futures")), 0);
  // Without a known run time there is nothing to play.
  Request unknown = JobOf(3);
  unknown.expected_run_ms = 0;
  const Placed of_unknown =
      PlaceOn(machine, "coolspan", free, unknown, &starts);
  EXPECT_EQ(std::get<std::int64_t>(*FactOf(of_unknown.trace, "futures")), 0);
}

TEST(CoolspanHeatTest, ThreadsPlayTheSameFutures) {
  const auto machine = InSomeRoom(MeshMachine(FlatGrid({4, 3})), 12, 5);
  const auto policy = MakePolicy("coolspan", machine,
                                 {MakeOrdering(*machine, "row-major").value()})
                          .value();
  RecentStarts starts;
  for (TimeMs i = 0; i < 8; ++i) starts.Add({i * 100'000, 2, 500'000});
  const NodeSet available(12, std::vector<NodeId>{0, 1, 2, 4, 5, 6, 8, 9, 10});
  const RoomWithJobs room(*machine, available);
  const MachineView view(*machine, available, {}, 0, room.view(), nullptr,
                         1'000'000, &starts);
  std::vector<std::vector<NodeId>> answers(4);
  std::vector<std::thread> threads;
  for (std::vector<NodeId>& answer : answers) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        Budget budget;
        Trace trace;
        answer = policy->Place(view, JobOf(3), budget, trace).value().nodes;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<NodeId>& answer : answers) {
    EXPECT_EQ(answer, answers.front());
  }
}

// A line of 1,200 nodes, beyond the rooms in which sets are grown: the nodes of
// the first half warm the inlet of node 0 much.
std::shared_ptr<const Machine> LargeLineWithHotHalf() {
  constexpr NodeCount kNodes = 1200;
  constexpr std::size_t kZones = 12;
  std::vector<double> heat(kZones * kZones, 0);
  for (std::size_t i = 0; i < kZones; ++i) heat[i] = i < 6 ? 1e-3 : 1e-6;
  return InRoom(*MeshMachine(FlatGrid({kNodes})),
                RoomDescription(kNodes, ZoneId{kZones}, heat));
}

TEST(CoolspanHeatTest, LargeRoomsWeighHeatToo) {
  const auto machine = LargeLineWithHotHalf();
  std::vector<NodeId> free = {1100, 1102, 1104, 1106};
  for (NodeId node = 100; node < 110; ++node) free.push_back(node);
  const std::vector<NodeId> compact = {100, 101, 102, 103};
  EXPECT_EQ(PlaceOn(machine, "coolspan:heat=0", free, JobOf(4)).nodes, compact);
  EXPECT_EQ(PlaceOn(machine, "coolspan", free, JobOf(4)).nodes,
            (std::vector<NodeId>{1100, 1102, 1104, 1106}));
  EXPECT_EQ(PlaceOn(machine, "coolspan:node-price=1000", free, JobOf(4)).nodes,
            compact);
  Request with_required = JobOf(3);
  with_required.required = NodeSet(1200, std::vector<NodeId>{105});
  const Placed placed = PlaceOn(machine, "coolspan", free, with_required);
  EXPECT_EQ(std::count(placed.nodes.begin(), placed.nodes.end(), 105), 1);
}

TEST(CoolspanHeatTest, AnEarlyEndOfTheBudgetLeavesACompleteSet) {
  const auto machine = InSomeRoom(MeshMachine(FlatGrid({8, 8})), 64, 5);
  std::vector<NodeId> free(64);
  for (NodeId node = 0; node < 64; ++node) free[node] = node;
  for (const std::uint64_t work : {0, 1, 100, 1000, 10'000, 100'000}) {
    for (const auto& in_room : {machine, LargeLineWithHotHalf()}) {
      const std::vector<NodeId> nodes =
          PlaceOn(in_room, "coolspan", free, JobOf(20), nullptr, Budget(work))
              .nodes;
      EXPECT_EQ(std::set<NodeId>(nodes.begin(), nodes.end()).size(), 20U);
      EXPECT_TRUE(std::all_of(nodes.begin(), nodes.end(),
                              [](NodeId node) { return node < 64; }));
    }
  }
}

}  // namespace
}  // namespace coolspan
