// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_POLICY_RUN_H_
#define COOLSPAN_REPLAY_POLICY_RUN_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "replay/observers/decision_log.h"
#include "replay/observers/run_observer.h"
#include "replay/observers/start_meter.h"
#include "replay/ports/allocator_port.h"
#include "replay/replay.h"

namespace coolspan {

// The state that the runs of a replay share.
struct SharedRuns {
  const ReplaySetup& setup;
  const Workload& workload;
  const RunTimes& run_times;
  IdealTotals& ideal_totals;            // of the machine
  DecisionLog* log;                     // nullptr: no log
  std::atomic<std::uint64_t>& started;  // jobs of all runs
  std::atomic<bool>& failed;            // a run has failed
};

// One run of a workload. Not thread-safe.
class PolicyRun {
 public:
  // index: of the run in the setup. shared and port must outlive the object.
  PolicyRun(const SharedRuns& shared, std::size_t index, AllocatorPort& port);

  // Call once. Errors: Replay's; CANCELLED if another run has failed.
  absl::StatusOr<RunReport> Run();

 private:
  void AddRecorders();
  absl::Status RunJobs();
  void OnEnd(const JobEnd& end);
  void MoveEnds(Cluster& cluster);
  void OnSubmit(JobIndex job, TimeMs now_ms);
  absl::StatusOr<JobRun> OnStart(const Placement& placement);
  void StartOnNetwork(const JobStart& start);

  const SharedRuns& shared_;
  const std::size_t index_;
  AllocatorPort& port_;
  std::uint64_t most_beyond_depth_ = 0;
  const TimeMs begin_ms_;  // of the measurements
  Estimates estimates_;
  const std::unique_ptr<SharedNetwork> network_;  // nullptr: none
  StartMeter* meter_;                             // one of the observers
  // Those that measure come before the meter.
  std::vector<std::unique_ptr<RunObserver>> observers_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_POLICY_RUN_H_
