// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/replay.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "replay/cluster.h"
#include "replay/decision_log.h"
#include "replay/event_loop.h"
#include "replay/previews.h"

namespace coolspan {
namespace {

using Clock = std::chrono::steady_clock;

double PeakRssMb() {
  constexpr double kKibPerMib = 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / kKibPerMib;
}

class Runs {
 public:
  Runs(const ReplaySetup& setup, const Workload& workload,
       std::atomic<std::uint64_t>& started)
      : setup_(setup), workload_(workload), started_(started) {}

  absl::StatusOr<std::vector<RunReport>> All() {
    for (const std::string& policy : setup_.policies) {
      absl::StatusOr<std::unique_ptr<AllocatorPort>> port =
          setup_.open_port(policy, setup_.previewed);
      if (!port.ok()) return port.status();
      ports_.push_back(*std::move(port));
    }
    if (!setup_.decisions_path.empty()) {
      absl::StatusOr<std::unique_ptr<DecisionLog>> log =
          DecisionLog::Create(setup_.decisions_path, setup_.policies.size());
      if (!log.ok()) return log.status();
      log_ = *std::move(log);
    }
    return RunInParallel();
  }

 private:
  absl::StatusOr<std::vector<RunReport>> RunInParallel() {
    const std::size_t runs = setup_.policies.size();
    std::vector<absl::StatusOr<RunReport>> reports(
        runs, absl::CancelledError("another run failed"));
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t run = next++; run < runs; run = next++) {
        reports[run] = RunOne(run);
        if (!reports[run].ok()) failed_ = true;
      }
    };
    const std::size_t threads =
        std::min<std::size_t>(runs, std::thread::hardware_concurrency());
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    for (std::thread& other : others) other.join();
    return Collect(std::move(reports));
  }

  absl::StatusOr<std::vector<RunReport>> Collect(
      std::vector<absl::StatusOr<RunReport>> reports) {
    for (const absl::StatusOr<RunReport>& report : reports) {
      if (!report.ok() && !absl::IsCancelled(report.status())) {
        return report.status();
      }
    }
    if (log_ != nullptr) {
      if (absl::Status done = log_->Finish(); !done.ok()) return done;
    }
    std::vector<RunReport> all;
    for (absl::StatusOr<RunReport>& report : reports) {
      if (!report.ok()) return report.status();
      all.push_back(*std::move(report));
    }
    return all;
  }

  absl::StatusOr<RunReport> RunOne(std::size_t run) {
    const std::string& policy = setup_.policies[run];
    const Clock::time_point begun = Clock::now();
    RunMetrics metrics(setup_.machine->topology(), *setup_.ordering);
    Previews previews(setup_, *ports_[run]);
    const auto on_start = [&](const Placement& placement) -> absl::Status {
      if (failed_.load(std::memory_order_relaxed)) {
        return absl::CancelledError("another run failed");
      }
      const WorkloadJob& job = workload_.jobs[placement.job];
      const Locality locality = metrics.Add(job, placement);
      if (absl::Status asked = previews.Ask(job, placement); !asked.ok()) {
        return asked;
      }
      started_.fetch_add(1, std::memory_order_relaxed);
      return log_ == nullptr ? absl::OkStatus()
                             : log_->Add(run, policy, *setup_.machine, job,
                                         placement, locality);
    };
    const std::unique_ptr<Scheduler> scheduler =
        setup_.scheduler->make(workload_.jobs);
    Cluster cluster(workload_.jobs, setup_.machine->node_count(), setup_.seed,
                    *ports_[run], on_start);
    absl::Status done = RunEvents(workload_.jobs, *scheduler, cluster);
    if (done.ok()) done = ports_[run]->Finish();
    if (!done.ok()) {
      const std::string message(done.message());
      return absl::Status(done.code(), fmt::format("{}: {}", policy, message));
    }
    const std::chrono::duration<double> wall = Clock::now() - begun;
    return RunReport{.policy = policy,
                     .jobs = metrics.jobs(),
                     .metrics = metrics.Values(wall.count()),
                     .previews = previews.Reports(wall.count()),
                     .wall_s = wall.count(),
                     .peak_rss_mb = PeakRssMb()};
  }

  const ReplaySetup& setup_;
  const Workload& workload_;
  std::atomic<std::uint64_t>& started_;
  std::vector<std::unique_ptr<AllocatorPort>> ports_;
  std::unique_ptr<DecisionLog> log_;
  std::atomic<bool> failed_ = false;
};

}  // namespace

absl::StatusOr<std::vector<RunReport>> Replay(
    const ReplaySetup& setup, const Workload& workload,
    std::atomic<std::uint64_t>& started) {
  return Runs(setup, workload, started).All();
}

}  // namespace coolspan
