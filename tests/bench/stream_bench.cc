// SPDX-License-Identifier: GPL-3.0-or-later
// Decisions of the policy coolspan on meshes and tori of which half the nodes,
// drawn at random, are busy.
//
// Targets, thread CPU time of one decision with the default budget:
//   nodes                     request   target
//   128 (16x8)                     32   0.1 ms
//   1,024 (32x32)                 256     1 ms
//   1,000 (10^3)              32, 256     1 ms
//   10,000 (100^2)                256    10 ms
//   10,000 (25x20x20)         32, 256    10 ms, a torus too
//   158,976 (48x48x69)        32, 256   100 ms
//   158,976 (24x23x24x2x3x2       256   100 ms
//            torus)
#include <benchmark/benchmark.h>

#include <map>
#include <string>

#include "bench/site.h"

namespace coolspan {
namespace {

const std::map<std::string, Grid>& Grids() {
  static const std::map<std::string, Grid> grids = {
      {"16x8", FlatGrid({16, 8})},
      {"32x32", FlatGrid({32, 32})},
      {"10x10x10", FlatGrid({10, 10, 10})},
      {"100x100", FlatGrid({100, 100})},
      {"25x20x20", FlatGrid({25, 20, 20})},
      {"25x20x20_torus", TorusGrid({25, 20, 20})},
      {"48x48x69", FlatGrid({48, 48, 69})},
      {"24x23x24x2x3x2_torus", TorusGrid({24, 23, 24, 2, 3, 2})}};
  return grids;
}

void Stream(benchmark::State& state, const std::string& grid) {
  static std::map<std::string, Site> sites;
  if (!sites.contains(grid)) {
    sites[grid] = MakeSite(
        Grids().at(grid), [](std::uint32_t random) { return random % 2 == 0; });
  }
  DecideOn(sites[grid], "coolspan", static_cast<NodeCount>(state.range(0)),
           state, Budget::kVirtualClock);
}

[[maybe_unused]] const bool registered = [] {
  for (const auto& [name, grid] : Grids()) {
    auto* const bench =
        benchmark::RegisterBenchmark(("Stream/" + name).c_str(), Stream, name);
    bench->Arg(32)->Unit(benchmark::kMillisecond);
    if (name != "16x8") bench->Arg(256);
  }
  return true;
}();

}  // namespace
}  // namespace coolspan
