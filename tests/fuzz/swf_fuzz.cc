// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as an SWF log: an error message, or jobs that every scheduler
// runs.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/memory_file.h"
#include "replay/input/workload.h"
#include "replay/schedulers/scheduler.h"
#include "unit/replay/simulated_runs.h"
#include "unit/replay/two_speed_machine.h"

namespace coolspan {
namespace {

constexpr NodeCount kMachineNodes = 64;

void CheckWorkload(const Workload& workload, const WorkloadOptions& options) {
  Expect(workload.jobs.size() ==
         workload.counts.jobs * std::uint64_t{options.replicate});
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    const WorkloadJob& job = workload.jobs[i];
    Expect(i == 0 || workload.jobs[i - 1].submit_ms <= job.submit_ms);
    Expect(job.nodes >= 1 && job.nodes <= kMachineNodes);
    Expect(job.run_ms >= 0 && job.estimate_ms >= 0);
  }
}

// Schedulers that choose groups of nodes, on nodes of two kinds in a room.
void CheckPlacedRun(const Workload& workload, std::string scheduler) {
  static const auto machine = TwoSpeedMachine(30, kMachineNodes - 30);
  if (scheduler == "scint") scheduler += ":evaluations=100";
  const PlacedRun run = SimulateOn(*machine, workload.jobs, scheduler);
  Expect(run.status.ok());
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    Expect(run.starts_s[i] * 1000 >=
           static_cast<double>(workload.jobs[i].submit_ms));
    Expect(run.nodes[i].size() == workload.jobs[i].nodes);
  }
}

void CheckRuns(const Workload& workload) {
  for (const SchedulerEntry& scheduler : SchedulerTable()) {
    if (scheduler.obeys_node_types) {
      CheckPlacedRun(workload, std::string(scheduler.name));
      continue;
    }
    const SimulatedRun run =
        Simulate(workload.jobs, kMachineNodes, std::string(scheduler.name));
    Expect(run.status.ok());
    for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
      Expect(run.starts_ms[i] >= workload.jobs[i].submit_ms);
    }
  }
}

}  // namespace
}  // namespace coolspan

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace coolspan;
  const std::string path = PathOf(data, size);
  for (const bool run_zero_run : {false, true}) {
    WorkloadOptions options;
    options.run_zero_run = run_zero_run;
    options.replicate = run_zero_run ? 2 : 1;
    const absl::StatusOr<Workload> workload =
        LoadWorkload(path, options, kMachineNodes);
    if (!workload.ok()) {
      Expect(workload.status().message().find(path) == 0);
      Expect(workload.status().message().size() < 500);
      continue;
    }
    CheckWorkload(*workload, options);
    CheckRuns(*workload);
  }
  return 0;
}
