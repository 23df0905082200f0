// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_REPLAY_H_
#define COOLSPAN_REPLAY_REPLAY_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/machine.h"
#include "ordering/ordering.h"
#include "replay/allocator_port.h"
#include "replay/run_metrics.h"
#include "replay/runtime_models/runtime_model.h"
#include "replay/schedulers/scheduler.h"
#include "replay/workload.h"

namespace coolspan {

// The replay of one workload on one machine, once for each policy. With
// previewed policies, these are the situations.
struct ReplaySetup {
  std::shared_ptr<const Machine> machine;
  std::shared_ptr<const Ordering> ordering;  // for metrics of spans
  std::vector<std::string> policies;
  // Evaluated at each job start of each run on the same free nodes; their
  // choices are measured and not carried out.
  std::vector<std::string> previewed;
  PortMaker open_port;
  const SchedulerEntry* scheduler = nullptr;  // never null in a call
  RuntimeOptions runtime = {};
  std::uint64_t seed = 0;
  std::string decisions_path;  // empty: no decision log
};

struct PreviewReport {
  std::string policy;
  std::uint64_t jobs = 0;  // placed by this policy
  std::vector<NamedValue> metrics;
};

struct RunReport {
  std::string policy;
  std::uint64_t jobs = 0;
  std::vector<NamedValue> metrics;
  std::vector<PreviewReport>
      previews;  // in the order of ReplaySetup::previewed
  double wall_s = 0;
  double peak_rss_mb = 0;  // MiB, of the process at the end of the run
};

// Runs all policies, one thread per processor. The result, except for real
// times, does not depend on the number of threads. started counts the started
// jobs of all runs, for a progress bar.
// Errors: open_port's and RunTimes', before anything runs; INVALID_ARGUMENT for
// a file that cannot be written; FAILED_PRECONDITION for a job that a policy
// never places; those of the allocators.
absl::StatusOr<std::vector<RunReport>> Replay(
    const ReplaySetup& setup, const Workload& workload,
    std::atomic<std::uint64_t>& started);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_REPLAY_H_
