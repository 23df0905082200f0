// SPDX-License-Identifier: GPL-3.0-or-later
// Decisions of the centre-based policies on meshes and a torus of which half
// the nodes, drawn at random, are busy.
//
// Targets, one decision on two cores (the authors' simulator in brackets, at
// the same machine size and request, measured elsewhere):
//   nodes                   request  policy   target
//   1,024 (32x32)               256  mc1x1    0.3 ms  (214 ms)
//                                    genalg     1 ms  (118 ms)
//                                    mm         1 ms  (51 ms)
//   10,648 (22^3)               256  mc1x1      2 ms  (351 ms)
//                                    genalg    10 ms  (1,653 ms)
//                                    mm        20 ms  (2,852 ms)
//                                    mm-inc    40 ms
//                           3,000  exact-1d, mbs, mc, mc1x1
//                                              2 ms
//   158,976 (24x23x24x2x3x2     384  best-fit 0.05 ms
//            torus)                  mc1x1     50 ms
//                                    mm       500 ms
//   1,000,000 (100^3)         1,000  best-fit 0.5 ms
//                                    mc1x1    300 ms
//
//   Growth/POLICY/NODES/256/...   cubes from 10^3 to 10^6 nodes, what
//                                 docs/draw-performance draws
#include <benchmark/benchmark.h>

#include <map>
#include <string>

#include "bench/site.h"

namespace coolspan {
namespace {

const Site& SiteOf(NodeCount nodes) {
  static const std::map<NodeCount, Grid> grids = {
      {1'000, FlatGrid({10, 10, 10})},
      {1'024, FlatGrid({32, 32})},
      {10'648, FlatGrid({22, 22, 22})},
      {97'336, FlatGrid({46, 46, 46})},
      {158'976, TorusGrid({24, 23, 24, 2, 3, 2})},
      {1'000'000, FlatGrid({100, 100, 100})}};
  static std::map<NodeCount, Site> sites;
  if (!sites.contains(nodes)) {
    sites[nodes] = MakeSite(
        grids.at(nodes), [](std::uint32_t random) { return random % 2 == 0; });
  }
  return sites[nodes];
}

void Centre(benchmark::State& state, const std::string& name) {
  DecideOn(SiteOf(static_cast<NodeCount>(state.range(0))), name,
           static_cast<NodeCount>(state.range(1)), state);
}

void Growth(benchmark::State& state, const std::string& name) {
  Centre(state, name);
}

void Sizes(benchmark::internal::Benchmark* bench) {
  for (const int nodes : {1'000, 10'648, 97'336, 1'000'000}) {
    bench->Args({nodes, 256});
  }
  bench->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK_CAPTURE(Growth, best_fit, std::string("best-fit"))->Apply(Sizes);
BENCHMARK_CAPTURE(Growth, mc1x1, std::string("mc1x1"))->Apply(Sizes);
BENCHMARK_CAPTURE(Growth, genalg, std::string("genalg"))->Apply(Sizes);
BENCHMARK_CAPTURE(Growth, mm, std::string("mm"))->Apply(Sizes);
BENCHMARK_CAPTURE(Growth, mm_inc, std::string("mm-inc"))->Apply(Sizes);

void Table(benchmark::internal::Benchmark* bench) {
  bench->Args({1'024, 256})->Args({10'648, 256})->Args({158'976, 384});
  bench->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK_CAPTURE(Centre, mc1x1, std::string("mc1x1"))
    ->Apply(Table)
    ->Args({10'648, 3'000})
    ->Args({1'000'000, 1'000});
BENCHMARK_CAPTURE(Centre, genalg, std::string("genalg"))->Apply(Table);
BENCHMARK_CAPTURE(Centre, mm, std::string("mm"))->Apply(Table);
BENCHMARK_CAPTURE(Centre, mm_inc, std::string("mm-inc"))->Apply(Table);
BENCHMARK_CAPTURE(Centre, best_fit, std::string("best-fit"))
    ->Apply(Table)
    ->Args({1'000'000, 1'000});

void Large(benchmark::internal::Benchmark* bench) {
  bench->Args({10'648, 3'000});
  bench->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK_CAPTURE(Centre, exact_1d, std::string("exact-1d"))->Apply(Large);
BENCHMARK_CAPTURE(Centre, mbs, std::string("mbs"))->Apply(Large);
BENCHMARK_CAPTURE(Centre, mc, std::string("mc"))->Apply(Large);

}  // namespace
}  // namespace coolspan
