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

// One workload on one machine, once for each policy (the situation, where
// others are previewed in it).
struct ReplaySetup {
  std::shared_ptr<const Machine> machine;
  std::shared_ptr<const Ordering> ordering;  // that spans are measured in
  std::vector<std::string> policies;
  // Asked at each start of each run what they would choose on the nodes that
  // are free then; that is measured, and nothing comes of it.
  std::vector<std::string> previewed;
  PortMaker open_port;
  const SchedulerEntry* scheduler = nullptr;  // never null in a call
  RuntimeOptions runtime = {};
  std::uint64_t seed = 0;
  std::string decisions_path;  // empty: none are written
};

struct PreviewReport {
  std::string policy;
  std::uint64_t jobs = 0;  // that it would have placed
  std::vector<NamedValue> metrics;
};

struct RunReport {
  std::string policy;
  std::uint64_t jobs = 0;
  std::vector<NamedValue> metrics;
  std::vector<PreviewReport> previews;  // as previewed
  double wall_s = 0;
  double peak_rss_mb = 0;  // of the process, at the end of the run, in MiB
};

// Runs all policies, several at once as far as there are processors; what
// comes out does not depend on how many (real times aside). started counts the
// jobs started in all runs, for who watches.
// Errors: open_port's and RunTimes', before anything runs; INVALID_ARGUMENT for
// a file that cannot be written; FAILED_PRECONDITION for a job that a policy
// never places; the allocators' own.
absl::StatusOr<std::vector<RunReport>> Replay(
    const ReplaySetup& setup, const Workload& workload,
    std::atomic<std::uint64_t>& started);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_REPLAY_H_
