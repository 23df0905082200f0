// SPDX-License-Identifier: GPL-3.0-or-later
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "ordering/hilbert.h"

namespace coolspan {
namespace {

void OrderMesh(benchmark::State& state,
               const std::vector<std::uint32_t>& dims) {
  std::int64_t vertices = 0;
  for (auto _ : state) {
    const std::vector<std::uint32_t> order = HilbertOrder(dims);
    benchmark::DoNotOptimize(order.data());
    vertices += static_cast<std::int64_t>(order.size());
  }
  state.SetItemsProcessed(vertices);
}

// Target: 1,000,000 vertices under 2 s, aim 0.2 s, whatever the shape. Odd
// extents in 6 dimensions need the most planning.
BENCHMARK_CAPTURE(OrderMesh, 100x100x100, {100, 100, 100})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(OrderMesh, 1000x1000, {1000, 1000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(OrderMesh, 10x10x10x10x10x10, {10, 10, 10, 10, 10, 10})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(OrderMesh, 11x9x11x9x11x9, {11, 9, 11, 9, 11, 9})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(OrderMesh, 5x7x9x11x13x15, {5, 7, 9, 11, 13, 15})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(OrderMesh, 1000000, {1000000})->Unit(benchmark::kMillisecond);
// Target: small machines in no time a user notices, under 1 ms.
BENCHMARK_CAPTURE(OrderMesh, 16x16, {16, 16});
BENCHMARK_CAPTURE(OrderMesh, 24x23x24, {24, 23, 24});

}  // namespace
}  // namespace coolspan
