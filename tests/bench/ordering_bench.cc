// SPDX-License-Identifier: GPL-3.0-or-later
// What replay does for each job besides deciding, and what `coolspan order`
// does once. Targets:
//   Measure, mesh of 128          under 3 us for 16 nodes (a replayed job may
//                                 cost 10 us in all)
//   Measure, mesh of 1,000,000    under 2 ms for 10,000 nodes
//   MakeOrdering, 1,000,000       under 2 s
//   Spectral, 10,000 / 100,000    under 4 s / 10 s, torus of two dimensions
//   MeasureOrdering, 1,000,000    under 1 s
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "locality/locality.h"
#include "mesh_machine.h"
#include "ordering/ordering_cost.h"

namespace coolspan {
namespace {

void Measure(benchmark::State& state, const Grid& grid) {
  const auto machine = MeshMachine(grid);
  const auto ordering = MakeOrdering(*machine, "hilbert").value();
  LocalityMeter meter(machine->topology(), *ordering);
  const auto count = static_cast<std::size_t>(state.range(0));
  // Two thirds of a stretch of the curve, as in a fragmented machine.
  std::vector<NodeId> nodes;
  for (Rank rank = 7; nodes.size() < count; ++rank) {
    if (rank % 3 != 0) nodes.push_back(ordering->NodeAt(rank));
  }
  for (auto _ : state) benchmark::DoNotOptimize(meter.Measure(nodes));
}

BENCHMARK_CAPTURE(Measure, 16x8, FlatGrid({16, 8}))->Arg(1)->Arg(16)->Arg(64);
BENCHMARK_CAPTURE(Measure, 16x8_torus, TorusGrid({16, 8}))->Arg(16);
BENCHMARK_CAPTURE(Measure, 100x100x100, FlatGrid({100, 100, 100}))
    ->Arg(16)
    ->Arg(10'000);

void Make(benchmark::State& state, const std::string& name) {
  const auto machine = MeshMachine(FlatGrid({100, 100, 100}));
  for (auto _ : state) {
    benchmark::DoNotOptimize(MakeOrdering(*machine, name));
  }
}
BENCHMARK_CAPTURE(Make, hilbert, "hilbert")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Make, snake, "snake")->Unit(benchmark::kMillisecond);

void Spectral(benchmark::State& state) {
  const auto side = static_cast<std::uint32_t>(state.range(0));
  const auto machine = MeshMachine(TorusGrid({side, side}));
  for (auto _ : state) {
    benchmark::DoNotOptimize(MakeOrdering(*machine, "spectral"));
  }
}
BENCHMARK(Spectral)->Arg(100)->Arg(316)->Unit(benchmark::kMillisecond);

void Cost(benchmark::State& state) {
  const auto machine = MeshMachine(FlatGrid({100, 100, 100}));
  const auto ordering = MakeOrdering(*machine, "hilbert").value();
  for (auto _ : state) {
    benchmark::DoNotOptimize(MeasureOrdering(machine->topology(), *ordering));
  }
}
BENCHMARK(Cost)->Unit(benchmark::kMillisecond);

void MeshOfAMillion(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(MakeMesh(TorusGrid({100, 100, 100})));
  }
}
BENCHMARK(MeshOfAMillion)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace coolspan
