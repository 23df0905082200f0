// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes below a header of sacct: an error message, or jobs that run
// at their recorded starts.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/memory_file.h"
#include "replay/input/workload.h"
#include "replay/schedulers/scheduler.h"
#include "unit/replay/simulated_runs.h"

namespace coolspan {
namespace {

constexpr NodeCount kMachineNodes = 64;

void CheckJobs(const Workload& workload) {
  for (const WorkloadJob& job : workload.jobs) {
    Expect(job.nodes >= 1 && job.nodes <= kMachineNodes);
    Expect(job.run_ms >= 0 && job.estimate_ms >= 0);
    Expect(job.recorded_start_ms >= job.submit_ms);
  }
  const SimulatedRun run = Simulate(workload.jobs, kMachineNodes, "recorded");
  Expect(run.status.ok());
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    Expect(run.starts_ms[i] >= workload.jobs[i].recorded_start_ms);
  }
}

}  // namespace
}  // namespace coolspan

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace coolspan;
  const std::string path = PathOf(data, size);
  WorkloadOptions options;
  options.run_zero_run = true;
  options.needs_starts = true;
  const absl::StatusOr<Workload> workload =
      LoadWorkload(path, options, kMachineNodes);
  if (!workload.ok()) {
    Expect(workload.status().message().find(path) != std::string::npos);
    Expect(workload.status().message().size() < 500);
    return 0;
  }
  CheckJobs(*workload);
  return 0;
}
