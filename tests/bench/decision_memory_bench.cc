// SPDX-License-Identifier: GPL-3.0-or-later
// Memory allocated by a decision: total bytes and the largest single
// allocation, on machines of 10^4 to 10^6 nodes. Target: the same on all of
// them. With a snapshot kept elsewhere (Kept), a change copies the blocks that
// it touches and a pointer for each of the others. With candidates, their
// intersection with the free nodes takes a bit for each node.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "core/allocator.h"
#include "mesh_machine.h"
#include "ordering/ordering.h"
#include "policy/table.h"

namespace {

std::atomic<std::size_t> allocated_bytes = 0;
std::atomic<std::size_t> largest_bytes = 0;

void* Allocated(std::size_t bytes) {
  allocated_bytes += bytes;
  if (bytes > largest_bytes) largest_bytes = bytes;
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return Allocated(bytes); }
void* operator new[](std::size_t bytes) { return Allocated(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace coolspan {
namespace {

struct Case {
  bool keeps_snapshot = false;  // that of the previous decision
  bool has_candidates = false;  // all nodes
};

void DecisionMemory(benchmark::State& state, Case with) {
  const auto side = static_cast<std::uint32_t>(state.range(0));
  const auto machine = MeshMachine(FlatGrid({side, side}));
  const auto ordering = *MakeOrdering(*machine, "hilbert");
  const auto policy = *MakePolicy("best-fit", machine, {ordering});
  Allocator allocator(machine);
  AllocateCall call;
  call.request.demand = Demand::Nodes(64);
  if (with.has_candidates) {
    call.candidates = NodeSet::All(machine->node_count());
  }
  const auto decide = [&] {
    ++call.job.job_id;
    call.now_ms += 100;  // so that old answers are forgotten
    Budget budget;
    const auto decision = allocator.Allocate(call, {*policy}, budget);
    benchmark::DoNotOptimize(decision->get());
  };
  // Every second 64 of the first ranks are busy.
  constexpr NodeCount kNodes = 64;
  for (std::uint32_t job = 1; job <= 60; ++job) {
    Holding holding;
    holding.job = {job, 0};
    holding.committed = true;
    for (Rank rank = 2 * job * kNodes; rank < (2 * job + 1) * kNodes; ++rank) {
      holding.nodes.push_back(ordering->NodeAt(rank));
    }
    std::sort(holding.nodes.begin(), holding.nodes.end());
    allocator.Restore(std::move(holding));
  }
  call.job.job_id = 1000;
  // Warm-up: containers that keep their memory reach their final size.
  for (int i = 0; i < 1000; ++i) {
    decide();
    allocator.Release(call.job, call.now_ms);
  }
  std::vector<MachineSnapshot> snapshot;
  std::size_t bytes = 0;
  std::size_t largest = 0;
  for (auto _ : state) {
    snapshot.clear();
    if (with.keeps_snapshot) snapshot.push_back(allocator.Snapshot());
    allocated_bytes = 0;
    largest_bytes = 0;
    decide();
    bytes += allocated_bytes;
    largest = std::max<std::size_t>(largest, largest_bytes);
    state.PauseTiming();
    allocator.Release(call.job, call.now_ms);
    state.ResumeTiming();
  }
  state.counters["nodes"] = static_cast<double>(machine->node_count());
  state.counters["bytes"] = benchmark::Counter(
      static_cast<double>(bytes), benchmark::Counter::kAvgIterations);
  state.counters["largest"] = static_cast<double>(largest);
}

BENCHMARK_CAPTURE(DecisionMemory, Alone, {})->Arg(100)->Arg(316)->Arg(1000);
BENCHMARK_CAPTURE(DecisionMemory, Kept, {.keeps_snapshot = true})
    ->Arg(100)
    ->Arg(316)
    ->Arg(1000);
BENCHMARK_CAPTURE(DecisionMemory, Candidates, {.has_candidates = true})
    ->Arg(100)
    ->Arg(316)
    ->Arg(1000);

}  // namespace
}  // namespace coolspan
