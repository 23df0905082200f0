// SPDX-License-Identifier: GPL-3.0-or-later
// The allocator without the work of a policy. Targets on one core of 2020:
//   AllocatorCycle (allocate, commit, release of one job)
//     128 nodes, jobs of 1 to 32 nodes   under 2 us: replay's 100,000 jobs/s
//                                        leave 10 us for all of a job
//     the same jobs on 1,000,000 nodes   within twice that: no cost by machine
//     jobs of 1,000 nodes                under 20 us (20 ns a node)
//   AllocatorBytes: under 100 bytes a node for the ledger, 60 for the names
//   FormatNodes of 1,000,000 nodes       under 50 ms
//   ParseNodes of the same               under 200 ms
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdint>
#include <random>
#include <string>

#include "core/allocator.h"
#include "core/hostlist.h"
#include "unit/core/line_machine.h"

namespace coolspan {
namespace {

// Gives consecutive nodes from the seed on: no search, so that what is
// measured is the allocator's own.
class GivenNodes final : public Policy {
 public:
  std::string_view name() const override { return "given-nodes"; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& budget,
                                  Trace& trace) const override {
    if (!budget.Spend(request.demand.min_nodes)) return std::nullopt;
    Allocation allocation;
    allocation.nodes.resize(request.demand.min_nodes);
    const NodeCount room =
        view.machine().node_count() - request.demand.min_nodes + 1;
    NodeId node = static_cast<NodeId>(request.seed % room);
    for (NodeId& chosen : allocation.nodes) chosen = node++;
    trace.Note("from_node", std::int64_t{allocation.nodes.front()});
    return allocation;
  }
};

void AllocatorCycle(benchmark::State& state) {
  const auto nodes = static_cast<NodeCount>(state.range(0));
  const auto most = static_cast<NodeCount>(state.range(1));
  Allocator allocator(LineMachine(nodes));
  const GivenNodes policy;
  std::mt19937 random(1);
  std::uniform_int_distribution<NodeCount> size(most > 32 ? most : 1, most);
  std::uint32_t job_id = 0;
  std::int64_t placed_nodes = 0;
  for (auto _ : state) {
    AllocateCall call;
    call.job = {++job_id, 0};
    call.request.demand = Demand::Nodes(size(random));
    call.request.seed = random();
    call.now_ms = job_id * 1000;
    Budget budget;
    const absl::StatusOr<DecisionPtr> decision =
        allocator.Allocate(call, {policy}, budget);
    if (!decision.ok() || !(*decision)->placed) {
      state.SkipWithError("not placed");
      break;
    }
    Allocator::Fact fact;
    fact.job = call.job;
    fact.nodes = (*decision)->allocation.nodes;
    placed_nodes += static_cast<std::int64_t>(fact.nodes.size());
    benchmark::DoNotOptimize(allocator.Commit(std::move(fact), call.now_ms));
    allocator.Release(call.job, call.now_ms);
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["nodes_per_job"] = benchmark::Counter(
      static_cast<double>(placed_nodes), benchmark::Counter::kAvgIterations);
}
BENCHMARK(AllocatorCycle)
    ->ArgNames({"nodes", "job"})
    ->Args({128, 32})
    ->Args({10'000, 32})
    ->Args({1'000'000, 32})
    ->Args({10'000, 1'000})
    ->Args({1'000'000, 1'000});

double HeapBytes() {
  return static_cast<double>(mallinfo2().uordblks) +
         static_cast<double>(mallinfo2().hblkhd);
}

void AllocatorBytes(benchmark::State& state) {
  const auto nodes = static_cast<NodeCount>(state.range(0));
  const double before = HeapBytes();
  const auto machine = LineMachine(nodes);
  const double with_machine = HeapBytes();
  const Allocator allocator(machine);
  const double with_ledger = HeapBytes();
  for (auto _ : state) benchmark::DoNotOptimize(allocator.ledger().version());
  state.counters["names_bytes_per_node"] = (with_machine - before) / nodes;
  state.counters["ledger_bytes_per_node"] =
      (with_ledger - with_machine) / nodes;
}
BENCHMARK(AllocatorBytes)->Arg(1'000'000)->Iterations(1);

void FormatNodes(benchmark::State& state) {
  const auto nodes = static_cast<NodeCount>(state.range(0));
  const auto machine = LineMachine(nodes);
  std::vector<NodeId> chosen;
  for (NodeId node = 0; node < nodes; ++node) {
    if (node % 16 != 0) chosen.push_back(node);
  }
  for (auto _ : state) benchmark::DoNotOptimize(machine->FormatNodes(chosen));
}
BENCHMARK(FormatNodes)->Arg(128)->Arg(1'000'000)->Unit(benchmark::kMicrosecond);

void ParseNodes(benchmark::State& state) {
  const auto nodes = static_cast<NodeCount>(state.range(0));
  const auto machine = LineMachine(nodes);
  const std::string list = "n[0-" + std::to_string(nodes - 1) + "]";
  for (auto _ : state) benchmark::DoNotOptimize(machine->ParseNodes(list));
}
BENCHMARK(ParseNodes)->Arg(128)->Arg(1'000'000)->Unit(benchmark::kMicrosecond);

void NodeSetFromBytes(benchmark::State& state) {
  const auto nodes = static_cast<NodeCount>(state.range(0));
  const std::string bytes = NodeSet::All(nodes).ToBytes();
  for (auto _ : state) {
    benchmark::DoNotOptimize(NodeSet::FromBytes(bytes, nodes));
  }
}
BENCHMARK(NodeSetFromBytes)->Arg(10'000)->Arg(1'000'000);

}  // namespace
}  // namespace coolspan
