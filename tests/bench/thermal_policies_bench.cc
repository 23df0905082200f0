// SPDX-License-Identifier: GPL-3.0-or-later
// Decisions of the policies that read the room: racks of eight nodes in rows,
// recirculation that decays with distance (to a third within five racks or a
// row and a half), 26 K of it at the warmest inlet when all are busy; half the
// nodes are.
//
// Targets, one decision:
//   nodes    request  policy         target
//      40       8,16  mpit, hybrid   0.5 ms
//   1,024     64,256  mpit, hybrid    20 ms
//  10,000         64  mpit, hybrid   100 ms
//  10,000      1,000  mpit, hybrid   600 ms
//  10,000      3,000  mpit, hybrid   600 ms
//  10,000      3,000  coolest-inlet, min-hr  5 ms
//     480        100  xint             1 s  (48 zones of 10)
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/policy.h"
#include "mesh_machine.h"
#include "policy/table.h"
#include "room_machine.h"

namespace coolspan {
namespace {

constexpr std::uint32_t kHeight = 8;  // nodes of a rack
constexpr double kFullRiseK = 26;     // of the warmest inlet, all nodes busy
constexpr double kBusyW = 2350;       // of a zone
constexpr double kReach = 3;

struct RoomSite {
  std::shared_ptr<const Machine> machine;
  NodeSet free;
  std::unique_ptr<RoomWithJobs> jobs;
};

// Each inlet draws and each node gives off a little more or less than others;
// the ends of rows and the tops of racks are warmer.
std::vector<double> RowsOfRacks(ZoneId zones, std::uint32_t racks) {
  std::mt19937 random(3);
  std::lognormal_distribution<double> about_one(0, 0.1);
  std::vector<double> draws(zones);
  std::vector<double> gives(zones);
  for (double& value : draws) value = about_one(random);
  for (double& value : gives) value = about_one(random);
  const auto apart = [](std::uint32_t a, std::uint32_t b) {
    return a < b ? b - a : a - b;
  };
  std::vector<double> heat(std::size_t{zones} * zones);
  for (ZoneId i = 0; i < zones; ++i) {
    const std::uint32_t rack = i / kHeight % racks;
    const double warm =
        (rack == 0 || rack + 1 == racks ? 2.0 : 1.0) + 0.15 * (i % kHeight);
    for (ZoneId j = 0; j < zones; ++j) {
      const double distance =
          0.2 * apart(i % kHeight, j % kHeight) +
          0.6 * apart(rack, j / kHeight % racks) +
          2.0 * apart(i / kHeight / racks, j / kHeight / racks);
      const double k_per_w =
          std::exp(-distance / kReach) * draws[i] * gives[j] * warm;
      heat[std::size_t{i} * zones + j] = k_per_w;
    }
  }
  double most = 0;
  for (ZoneId i = 0; i < zones; ++i) {
    const double* row = &heat[std::size_t{i} * zones];
    most = std::max(most, std::accumulate(row, row + zones, 0.0));
  }
  const double scale = kFullRiseK / kBusyW / most;
  for (double& k_per_w : heat) k_per_w *= scale;
  return heat;
}

const RoomSite& RoomSiteOf(std::uint32_t racks, std::uint32_t rows,
                           NodeCount nodes_of_zone) {
  static std::map<NodeCount, RoomSite> sites;
  const ZoneId zones = kHeight * racks * rows;
  RoomSite& site = sites[zones];
  if (site.machine != nullptr) return site;
  const NodeCount nodes = zones * nodes_of_zone;
  Grid grid = FlatGrid({kHeight, racks, rows});
  grid.nodes_per_vertex = nodes_of_zone;
  const auto mesh = MeshMachine(grid);
  Room::Description room =
      RoomDescription(nodes, zones, RowsOfRacks(zones, racks));
  room.types = {{.idle_w = 1000.0 / nodes_of_zone,
                 .compute_w = 2500.0 / nodes_of_zone,
                 .communicate_w = 2000.0 / nodes_of_zone}};
  site.machine = InRoom(*mesh, std::move(room));
  site.free = NodeSet(nodes);
  std::mt19937 random(1);
  for (NodeId node = 0; node < nodes; ++node) {
    if (random() % 2 == 0) site.free.Insert(node);
  }
  site.jobs = std::make_unique<RoomWithJobs>(*site.machine, site.free);
  return site;
}

void InRoomOfRacks(benchmark::State& state, const std::string& name) {
  const RoomSite& site = RoomSiteOf(static_cast<std::uint32_t>(state.range(0)),
                                    static_cast<std::uint32_t>(state.range(1)),
                                    static_cast<NodeCount>(state.range(2)));
  const auto policy =
      MakePolicy(name, site.machine,
                 {MakeOrdering(*site.machine, "row-major").value()})
          .value();
  Request request;
  request.demand = Demand::Nodes(static_cast<NodeCount>(state.range(3)));
  const MachineView view(*site.machine, site.free, {}, 0, site.jobs->view());
  double gap_k = 0;
  for (auto _ : state) {
    Budget budget;
    Trace trace;
    benchmark::DoNotOptimize(policy->Place(view, request, budget, trace));
    for (const Trace::Fact& fact : trace.facts()) {
      if (fact.name == "gap_k") gap_k = std::get<double>(fact.value);
    }
  }
  state.counters["gap_k"] = gap_k;
}

void Rooms(benchmark::internal::Benchmark* bench) {
  bench->Args({5, 1, 1, 8})->Args({5, 1, 1, 16});
  bench->Args({16, 8, 1, 64})->Args({16, 8, 1, 256});
  bench->Args({50, 25, 1, 64});
  bench->Args({50, 25, 1, 1000})->Args({50, 25, 1, 3000});
  bench->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK_CAPTURE(InRoomOfRacks, mpit, std::string("mpit"))->Apply(Rooms);
BENCHMARK_CAPTURE(InRoomOfRacks, hybrid, std::string("hybrid"))->Apply(Rooms);
BENCHMARK_CAPTURE(InRoomOfRacks, coolest_inlet, std::string("coolest-inlet"))
    ->Apply(Rooms);
BENCHMARK_CAPTURE(InRoomOfRacks, min_hr, std::string("min-hr"))->Apply(Rooms);
BENCHMARK_CAPTURE(InRoomOfRacks, xint, std::string("xint"))
    ->Args({6, 1, 10, 100})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace coolspan
