// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/policy_run.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "replay/cluster.h"
#include "replay/event_loop.h"

namespace coolspan {
namespace {

double PeakRssMb() {
  constexpr double kKibPerMib = 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / kKibPerMib;
}

TimeMs FirstSubmitMs(const Workload& workload) {
  return workload.jobs.empty() ? 0 : workload.jobs.front().submit_ms;
}

// Schedulers add the estimate to the start, so that sum must fit too.
absl::Status CheckEnd(const WorkloadJob& job, const JobRun& run,
                      TimeMs start_ms) {
  constexpr TimeMs kLatestMs = std::numeric_limits<TimeMs>::max();
  if (std::max(run.run_ms, job.estimate_ms) <=
      kLatestMs - std::max<TimeMs>(start_ms, 0)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("job {} would end after the latest time of {} ms", job.number,
                  kLatestMs));
}

}  // namespace

PolicyRun::PolicyRun(const SharedRuns& shared, std::size_t index,
                     AllocatorPort& port)
    : shared_(shared),
      index_(index),
      port_(port),
      meter_(shared.setup, shared.run_times, FirstSubmitMs(shared.workload)),
      metrics_(shared.setup.machine->node_count()),
      previews_(shared.setup, port, meter_) {}

absl::StatusOr<JobRun> PolicyRun::OnStart(const Placement& placement) {
  if (shared_.failed.load(std::memory_order_relaxed)) {
    return absl::CancelledError("another run failed");
  }
  const WorkloadJob& job = shared_.workload.jobs[placement.job];
  const MeasuredStart start = meter_.Measure(job, placement);
  absl::Status ends = CheckEnd(job, start.run, placement.start_ms());
  if (!ends.ok()) return ends;
  metrics_.Add(job, placement, start);
  absl::Status noted = previews_.Ask(job, placement);
  if (noted.ok() && shared_.log != nullptr) {
    noted = shared_.log->Add(index_, shared_.setup.policies[index_], job,
                             placement, start);
  }
  if (!noted.ok()) return noted;
  meter_.Start(placement, start.run);
  shared_.started.fetch_add(1, std::memory_order_relaxed);
  return start.run;
}

absl::Status PolicyRun::RunJobs() {
  const ReplaySetup& setup = shared_.setup;
  const std::vector<WorkloadJob>& jobs = shared_.workload.jobs;
  const std::unique_ptr<Scheduler> scheduler = setup.scheduler->make(jobs);
  Cluster cluster(
      {.jobs = jobs,
       .machine_nodes = setup.machine->node_count(),
       .seed = setup.seed,
       .communication_share = setup.runtime.communication_share},
      port_, [this](const Placement& placement) { return OnStart(placement); },
      [this](JobIndex job, TimeMs now_ms) { meter_.End(job, now_ms); });
  if (absl::Status run = RunEvents(jobs, *scheduler, cluster); !run.ok()) {
    return run;
  }
  return port_.Finish();
}

absl::StatusOr<RunReport> PolicyRun::Run() {
  using Clock = std::chrono::steady_clock;
  const std::string& policy = shared_.setup.policies[index_];
  const Clock::time_point begun = Clock::now();
  if (const absl::Status done = RunJobs(); !done.ok()) {
    const std::string message(done.message());
    return absl::Status(done.code(), fmt::format("{}: {}", policy, message));
  }
  const std::chrono::duration<double> wall = Clock::now() - begun;
  return RunReport{
      .policy = policy,
      .jobs = metrics_.jobs(),
      .metrics = metrics_.Values(wall.count(), meter_.room_totals()),
      .previews = previews_.Reports(wall.count()),
      .wall_s = wall.count(),
      .peak_rss_mb = PeakRssMb()};
}

}  // namespace coolspan
