// SPDX-License-Identifier: GPL-3.0-or-later
// The room after a job. Targets on one core of 2020:
//   RoomFollows (a job starts, then ends; time for one of the two)
//     low rank, 10,000 nodes, 64-node job     under 1 ms
//     low rank, 100,000 nodes, 64-node job    under 5 ms: some bytes a node
//     dense, 1,000 nodes, 64-node job         under 0.2 ms
//   LowRankBytes: under 500 bytes a node at 100,000 nodes
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "core/room_state.h"
#include "room_machine.h"
#include "thermal/low_rank_heat.h"

namespace coolspan {
namespace {

constexpr ZoneId kRack = 40;

// Racks of 40 that warm the 20 next to them on each side and, a little, all.
LowRankHeat::Factors Racks(ZoneId zones) {
  LowRankHeat::Factors factors;
  factors.zones = zones;
  const std::uint32_t racks = zones / kRack;
  factors.cells = racks + 1;
  for (ZoneId zone = 0; zone < zones; ++zone) {
    const std::uint32_t rack = zone / kRack;
    const double height = (zone % kRack + 1.0) / kRack;
    factors.draw.push_back({zone, rack, height});
    factors.draw.push_back({zone, racks, 1});
    factors.emit.push_back({rack, zone, 0.5 + height / 2});
    factors.emit.push_back({racks, zone, 1});
    for (ZoneId other = zone - zone % kRack; other < zone; ++other) {
      if (zone - other <= 4) factors.near.push_back({zone, other, 1e-4});
    }
  }
  for (std::uint32_t to = 0; to < racks; ++to) {
    for (std::uint32_t from = to < 20 ? 0 : to - 20;
         from < racks && from <= to + 20; ++from) {
      factors.flow.push_back({to, from, 1e-5});
    }
  }
  factors.flow.push_back({racks, racks, 1e-3 / zones});
  return factors;
}

void Follows(benchmark::State& state, std::shared_ptr<const HeatMatrix> heat,
             NodeCount job_nodes) {
  const auto nodes = static_cast<NodeCount>(heat->zone_count());
  Room::Description description = RoomDescription(nodes, 1, {0.0});
  for (NodeId node = 0; node < nodes; ++node) description.zone_of[node] = node;
  description.heat = std::move(heat);
  RoomState room(Room::Create(std::move(description)).value());
  std::minstd_rand random(1);
  std::vector<NodeLoad> loads(nodes);
  std::vector<NodeId> job;
  for (auto _ : state) {
    state.PauseTiming();
    if (job.empty()) {  // half of it together, half where there is room
      const NodeId first = static_cast<NodeId>(random() % (nodes - job_nodes));
      for (NodeId i = 0; i < job_nodes; ++i) {
        job.push_back(i % 2 == 0 ? first + i
                                 : static_cast<NodeId>(random() % nodes));
      }
      for (const NodeId node : job) loads[node] = {0.7F, 0.3F};
    } else {
      for (const NodeId node : job) loads[node] = {};
      job.clear();
    }
    state.ResumeTiming();
    room.Follow(loads);
    benchmark::DoNotOptimize(room.view().inlet_c().data());
  }
}

void RoomFollowsLowRank(benchmark::State& state) {
  const auto nodes = static_cast<ZoneId>(state.range(0));
  const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  auto heat = LowRankHeat::Create(Racks(nodes)).value();
  malloc_trim(0);
  const std::size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
  state.counters["bytes_a_node"] =
      static_cast<double>(after - before) / static_cast<double>(nodes);
  Follows(state, std::move(heat), static_cast<NodeCount>(state.range(1)));
}
BENCHMARK(RoomFollowsLowRank)
    ->Args({10000, 64})
    ->Args({10000, 1024})
    ->Args({100000, 64})
    ->Unit(benchmark::kMicrosecond);

void RoomFollowsDense(benchmark::State& state) {
  const auto nodes = static_cast<ZoneId>(state.range(0));
  Follows(state, DenseHeat::Create(nodes, RandomHeat(nodes, 1e-5, 1)).value(),
          64);
}
BENCHMARK(RoomFollowsDense)->Arg(1000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace coolspan
