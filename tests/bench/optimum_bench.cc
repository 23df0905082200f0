// SPDX-License-Identifier: GPL-3.0-or-later
// Policies that prove or approximate the optimum, mbs, and the ideal of an
// empty machine.
//
//   Prove/SIDE/NODES   exact on a SIDE x SIDE mesh with 60 % free at random:
//                      16x16, 8 and 16 nodes under 0.5 s, 64 under 10 s
//   Triple/SIDE        exact for three nodes, 1 % free: 1000x1000 under 50 ms
//   Buddies/NODES      mbs, a tenth of a machine with 40 % free:
//                      100,000 nodes under 5 ms
//   Ideal/NODES        ideal_pairwise_total of 100x100x100, the first time:
//                      1,000 nodes under 200 ms
#include <benchmark/benchmark.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/policy.h"
#include "locality/ideal_total.h"
#include "mesh_machine.h"
#include "policy/table.h"

namespace coolspan {
namespace {

void Place(benchmark::State& state, const std::string& policy,
           std::vector<std::uint32_t> dims, NodeCount nodes,
           std::uint32_t free_percent) {
  const auto machine = MeshMachine(FlatGrid(std::move(dims)));
  PolicyOptions options;
  options.ordering = MakeOrdering(*machine, "hilbert").value();
  const auto made = MakePolicy(policy, machine, options).value();
  std::mt19937 random(1);
  NodeSet free(machine->node_count());
  for (NodeId node = 0; node < machine->node_count(); ++node) {
    if (random() % 100 < free_percent) free.Insert(node);
  }
  const MachineView view(*machine, free, {}, 0);
  Request request;
  request.demand = Demand::Nodes(nodes);
  for (auto _ : state) {
    Budget budget;
    Trace trace;
    benchmark::DoNotOptimize(made->Place(view, request, budget, trace));
  }
}

void Prove(benchmark::State& state) {
  const auto side = static_cast<std::uint32_t>(state.range(0));
  Place(state, "exact", {side, side}, static_cast<NodeCount>(state.range(1)),
        60);
}
BENCHMARK(Prove)
    ->Args({16, 8})
    ->Args({16, 16})
    ->Args({16, 64})
    ->Args({32, 16})
    ->Unit(benchmark::kMillisecond);

void Triple(benchmark::State& state) {
  const auto side = static_cast<std::uint32_t>(state.range(0));
  Place(state, "exact", {side, side}, 3, 1);
}
BENCHMARK(Triple)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

void Buddies(benchmark::State& state) {
  const std::map<std::int64_t, std::vector<std::uint32_t>> dims = {
      {1024, {32, 32}}, {10'648, {22, 22, 22}}, {100'000, {50, 50, 40}}};
  const auto nodes = static_cast<NodeCount>(state.range(0));
  Place(state, "mbs", dims.at(nodes), nodes / 10, 40);
}
BENCHMARK(Buddies)->Arg(1024)->Arg(10'648)->Arg(100'000)->Unit(
    benchmark::kMillisecond);

void Ideal(benchmark::State& state) {
  const auto machine = MeshMachine(FlatGrid({100, 100, 100}));
  for (auto _ : state) {
    state.PauseTiming();
    IdealTotals ideal(machine->topology());
    state.ResumeTiming();
    benchmark::DoNotOptimize(ideal.For(static_cast<NodeCount>(state.range(0))));
  }
}
BENCHMARK(Ideal)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace coolspan
