// SPDX-License-Identifier: GPL-3.0-or-later
// Decisions of bqp in a third full room where every node is a zone.
//
//   Joint/NODES/REQUEST/BETA   beta in hundredths, alpha the rest
//
// Targets, one decision (joint-bqp-task-mapping, section 4.2, states 2.9 ms at
// 40 nodes and 0.82 s at 1,000):
//      40 nodes   under 0.3 ms
//   1,000 nodes   under 10 ms
#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <vector>

#include "core/room_state.h"
#include "mesh_machine.h"
#include "policy/table.h"
#include "room_machine.h"

namespace coolspan {
namespace {

struct Site {
  std::shared_ptr<const Machine> machine;
  std::unique_ptr<RoomState> room;
  NodeSet free;
};

Site SiteOf(NodeCount nodes) {
  const Grid grid = nodes == 40 ? FlatGrid({4, 5, 2}) : FlatGrid({10, 10, 10});
  Site site;
  site.machine =
      InRoom(*MeshMachine(grid),
             RoomDescription(nodes, nodes, RandomHeat(nodes, 0.02 / nodes, 1)));
  site.room = std::make_unique<RoomState>(site.machine->room());
  site.free = NodeSet(nodes);
  std::vector<NodeLoad> loads(nodes);
  std::minstd_rand random(1);
  for (NodeId node = 0; node < nodes; ++node) {
    if (random() % 3 != 0) {
      site.free.Insert(node);
    } else {
      loads[node] = {0.7F, 0.3F};
    }
  }
  site.room->Follow(loads);
  return site;
}

void Joint(benchmark::State& state) {
  const Site site = SiteOf(static_cast<NodeCount>(state.range(0)));
  PolicyOptions options;
  options.ordering = MakeOrdering(*site.machine, "row-major").value();
  const double beta = static_cast<double>(state.range(2)) / 100;
  options.values = {{"alpha", 1 - beta}, {"beta", beta}};
  const auto policy = MakePolicy("bqp", site.machine, options).value();
  const RoomView room = site.room->view();
  const MachineView view(*site.machine, site.free, {}, 0, &room);
  Request request;
  request.demand = Demand::Nodes(static_cast<NodeCount>(state.range(1)));
  for (auto _ : state) {
    ++request.seed;
    Budget budget;
    Trace trace;
    benchmark::DoNotOptimize(policy->Place(view, request, budget, trace));
  }
}
BENCHMARK(Joint)
    ->ArgsProduct({{40}, {2, 4, 8, 16}, {0, 50, 100}})
    ->ArgsProduct({{1000}, {8, 64, 300}, {0, 50, 100}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace coolspan
