// SPDX-License-Identifier: GPL-3.0-or-later
// Targets, on one core of about 3 GHz:
//   ReplayNasa       100,000 jobs a second, reading the log included (EASY,
//                    best-fit, hilbert, all locality metrics)
//   ReplayRicc       30 s for 447,784 jobs with a queue of 130,000
//   ReadRicc         1 s
// replay_process.sh measures the same from outside.
#include <benchmark/benchmark.h>

#include <atomic>
#include <string>

#include "folders.h"
#include "mesh_machine.h"
#include "replay/input/workload.h"
#include "replay/ports/in_process_port.h"
#include "replay/replay.h"

namespace coolspan {
namespace {

void ReplayLog(benchmark::State& state, const std::string& log,
               std::vector<std::uint32_t> dims, std::uint32_t procs_per_node) {
  const auto path = DataDir() / "swf" / log;
  if (!std::filesystem::exists(path)) {
    state.SkipWithError((path.string() + " is not on this host").c_str());
    return;
  }
  ReplaySetup setup;
  setup.machine = MeshMachine(FlatGrid(std::move(dims)));
  setup.runs = {{.policy = "best-fit",
                 .ordering = MakeOrdering(*setup.machine, "hilbert").value()}};
  setup.open_port = InProcessPorts(setup.machine, {});
  std::uint64_t jobs = 0;
  for (auto _ : state) {
    WorkloadOptions options;
    options.procs_per_node = procs_per_node;
    const auto workload =
        LoadWorkload(path, options, setup.machine->node_count());
    std::atomic<std::uint64_t> started = 0;
    benchmark::DoNotOptimize(Replay(setup, OneWorkload(*workload), started));
    jobs += started;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(jobs));
}

void ReplayNasa(benchmark::State& state) {
  ReplayLog(state, "NASA-iPSC-1993-3.1-cln.swf.gz", {16, 8}, 1);
}
BENCHMARK(ReplayNasa)->Unit(benchmark::kMillisecond);

void ReplayRicc(benchmark::State& state) {
  ReplayLog(state, "RICC-2010-2.swf.gz", {32, 32}, 8);
}
BENCHMARK(ReplayRicc)->Unit(benchmark::kMillisecond)->Iterations(1);

void ReadRicc(benchmark::State& state) {
  const auto path = DataDir() / "swf" / "RICC-2010-2.swf.gz";
  if (!std::filesystem::exists(path)) {
    state.SkipWithError((path.string() + " is not on this host").c_str());
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(LoadWorkload(path, {}, 8192));
  }
}
BENCHMARK(ReadRicc)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace coolspan
