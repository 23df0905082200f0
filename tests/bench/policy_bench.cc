// SPDX-License-Identifier: GPL-3.0-or-later
// Decisions of the policies on a 60 % busy, fragmented mesh.
//
//   Decide/POLICY/NODES/REQUEST   the same view again and again
//   Cycle/POLICY/NODES/REQUEST    a decision, its nodes taken, those of the
//                                 decision eight before given back: the index
//                                 has work to do
//   BuildIndex/NODES              the first decision on a machine
//
// Targets, one decision:  best-fit, first-fit and sum-of-squares
//   1,000,000 nodes       under 500 us, whatever the request
//      10,000 nodes       under  20 us
//         128 nodes       under   1 us a cycle of a small request
#include <benchmark/benchmark.h>

#include <deque>
#include <map>
#include <string>

#include "bench/site.h"

namespace coolspan {
namespace {

// Every node busy or free by itself: the most intervals that 60 % busy can
// have, hardly one longer than a dozen.
const Site& SiteOf(NodeCount nodes) {
  static const std::map<NodeCount, Grid> grids = {
      {128, FlatGrid({16, 8})},
      {10'000, FlatGrid({25, 20, 20})},
      {1'000'000, FlatGrid({100, 100, 100})}};
  static std::map<NodeCount, Site> sites;
  if (!sites.contains(nodes)) {
    sites[nodes] = MakeSite(
        grids.at(nodes), [](std::uint32_t random) { return random % 10 < 4; });
  }
  return sites[nodes];
}

void Decide(benchmark::State& state, const std::string& name) {
  DecideOn(SiteOf(static_cast<NodeCount>(state.range(0))), name,
           static_cast<NodeCount>(state.range(1)), state);
}

void Cycle(benchmark::State& state, const std::string& name) {
  const Site& site = SiteOf(static_cast<NodeCount>(state.range(0)));
  const std::unique_ptr<Policy> policy = PolicyOn(site, name);
  const Request request = RequestOf(static_cast<NodeCount>(state.range(1)));
  constexpr std::size_t kRunning = 8;
  NodeSet free = site.free;
  const MachineView view(*site.machine, free, {}, 0);
  std::deque<Allocation> running;
  for (auto _ : state) {
    Budget budget;
    Trace trace;
    running.push_back(*policy->Place(view, request, budget, trace));
    for (const NodeId node : running.back().nodes) free.Erase(node);
    if (running.size() <= kRunning) continue;
    for (const NodeId node : running.front().nodes) free.Insert(node);
    running.pop_front();
  }
}

void BuildIndex(benchmark::State& state) {
  const Site& site = SiteOf(static_cast<NodeCount>(state.range(0)));
  const Request request = RequestOf(1);
  const MachineView view(*site.machine, site.free, {}, 0);
  for (auto _ : state) {
    Budget budget;
    Trace trace;
    benchmark::DoNotOptimize(
        PolicyOn(site, "best-fit")->Place(view, request, budget, trace));
  }
}

void Sizes(benchmark::internal::Benchmark* bench) {
  for (const std::int64_t request : {1, 2, 8}) bench->Args({128, request});
  for (const std::int64_t request : {1, 4, 30, 1000}) {
    bench->Args({10'000, request});
  }
  for (const std::int64_t request : {1, 4, 9, 30, 1000, 10'000}) {
    bench->Args({1'000'000, request});
  }
  bench->Unit(benchmark::kMicrosecond);
}

#define BENCH_POLICY(name)                             \
  BENCHMARK_CAPTURE(Decide, name, name)->Apply(Sizes); \
  BENCHMARK_CAPTURE(Cycle, name, name)->Apply(Sizes)

BENCH_POLICY("best-fit");
BENCH_POLICY("first-fit");
BENCH_POLICY("sum-of-squares");
BENCH_POLICY("free-list");
BENCH_POLICY("random");
BENCHMARK(BuildIndex)
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace coolspan
