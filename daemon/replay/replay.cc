// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/replay.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "replay/decision_log.h"
#include "replay/policy_run.h"

namespace coolspan {
namespace {

class Runs {
 public:
  Runs(const ReplaySetup& setup, const Workload& workload,
       std::atomic<std::uint64_t>& started)
      : setup_(setup), workload_(workload), started_(started) {}

  absl::StatusOr<std::vector<RunReport>> All() {
    absl::StatusOr<RunTimes> run_times =
        RunTimes::Create(setup_.runtime, setup_.machine->topology());
    if (!run_times.ok()) return run_times.status();
    run_times_ = *std::move(run_times);
    for (const std::string& policy : setup_.policies) {
      absl::StatusOr<std::unique_ptr<AllocatorPort>> port =
          setup_.open_port(policy, setup_.previewed);
      if (!port.ok()) return port.status();
      ports_.push_back(*std::move(port));
    }
    if (!setup_.decisions_path.empty()) {
      absl::StatusOr<std::unique_ptr<DecisionLog>> log = DecisionLog::Create(
          setup_.decisions_path, setup_.policies.size(), *setup_.machine);
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
    const SharedRuns shared = {.setup = setup_,
                               .workload = workload_,
                               .run_times = run_times_,
                               .log = log_.get(),
                               .started = started_,
                               .failed = failed_};
    return PolicyRun(shared, run, *ports_[run]).Run();
  }

  const ReplaySetup& setup_;
  const Workload& workload_;
  std::atomic<std::uint64_t>& started_;
  RunTimes run_times_;
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
