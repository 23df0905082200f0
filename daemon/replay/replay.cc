// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/replay.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "replay/observers/decision_log.h"
#include "replay/policy_run.h"

namespace coolspan {
namespace {

// One workload for all runs of a seed, while one of them has it.
class SharedWorkloads {
 public:
  explicit SharedWorkloads(const WorkloadMaker& make) : make_(make) {}

  absl::StatusOr<std::shared_ptr<const Workload>> Of(std::uint64_t seed) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::weak_ptr<const Workload>& kept = kept_[seed];
    if (std::shared_ptr<const Workload> workload = kept.lock()) return workload;
    absl::StatusOr<std::shared_ptr<const Workload>> made = make_(seed);
    if (made.ok()) kept = *made;
    return made;
  }

 private:
  const WorkloadMaker& make_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::weak_ptr<const Workload>> kept_;
};

class Runs {
 public:
  Runs(const ReplaySetup& setup, const WorkloadMaker& workload_of,
       std::atomic<std::uint64_t>& started)
      : setup_(setup),
        workloads_(workload_of),
        started_(started),
        ideal_totals_(setup.machine->topology()) {}

  absl::StatusOr<std::vector<RunReport>> All() {
    absl::StatusOr<RunTimes> run_times =
        RunTimes::Create(setup_.runtime, setup_.machine->topology());
    if (!run_times.ok()) return run_times.status();
    run_times_ = *std::move(run_times);
    if (absl::Status checked = CheckPorts(); !checked.ok()) return checked;
    if (!setup_.decisions_path.empty()) {
      absl::StatusOr<std::unique_ptr<DecisionLog>> log = DecisionLog::Create(
          setup_.decisions_path, setup_.runs.size(), *setup_.machine);
      if (!log.ok()) return log.status();
      log_ = *std::move(log);
    }
    return RunInParallel();
  }

 private:
  // A port is only kept during its run: there may be hundreds.
  absl::Status CheckPorts() const {
    std::set<std::pair<std::string, const Ordering*>> checked;
    for (const RunSpec& run : setup_.runs) {
      if (!checked.insert({run.policy, run.ordering.get()}).second) continue;
      absl::Status opened = setup_.open_port(run, setup_.previewed).status();
      if (!opened.ok()) return opened;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<RunReport>> RunInParallel() {
    const std::size_t runs = setup_.runs.size();
    std::vector<absl::StatusOr<RunReport>> reports(
        runs, absl::CancelledError("another run failed"));
    // Those of one seed together, since they share their workload.
    std::vector<std::size_t> order(runs);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [this](std::size_t a, std::size_t b) {
                       return setup_.runs[a].seed < setup_.runs[b].seed;
                     });
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < runs; i = next++) {
        absl::StatusOr<RunReport>& report = reports[order[i]];
        report = RunOrRecall(order[i]);
        if (!report.ok()) failed_ = true;
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

  // From the checkpoint, if it has the run.
  absl::StatusOr<RunReport> RunOrRecall(std::size_t run) {
    if (setup_.checkpoint == nullptr) return RunOne(run);
    std::optional<RunReport> found = setup_.checkpoint->Find(setup_.runs[run]);
    if (found.has_value()) {
      started_ += found->jobs;
      return *std::move(found);
    }
    absl::StatusOr<RunReport> report = RunOne(run);
    if (!report.ok()) return report;
    absl::Status added = setup_.checkpoint->Add(*report);
    if (!added.ok()) return added;
    return report;
  }

  absl::StatusOr<RunReport> RunOne(std::size_t run) {
    const absl::StatusOr<std::shared_ptr<const Workload>> workload =
        workloads_.Of(setup_.runs[run].seed);
    if (!workload.ok()) return workload.status();
    const SharedRuns shared = {.setup = setup_,
                               .workload = **workload,
                               .run_times = run_times_,
                               .ideal_totals = ideal_totals_,
                               .log = log_.get(),
                               .started = started_,
                               .failed = failed_};
    const absl::StatusOr<std::unique_ptr<AllocatorPort>> port =
        setup_.open_port(setup_.runs[run], setup_.previewed);
    if (!port.ok()) return port.status();
    return PolicyRun(shared, run, **port).Run();
  }

  const ReplaySetup& setup_;
  SharedWorkloads workloads_;
  std::atomic<std::uint64_t>& started_;
  RunTimes run_times_;
  IdealTotals ideal_totals_;
  std::unique_ptr<DecisionLog> log_;
  std::atomic<bool> failed_ = false;
};

}  // namespace

WorkloadMaker OneWorkload(Workload workload) {
  return [shared = std::make_shared<const Workload>(std::move(workload))](
             std::uint64_t) { return shared; };
}

absl::StatusOr<std::vector<RunReport>> Replay(
    const ReplaySetup& setup, const WorkloadMaker& workload_of,
    std::atomic<std::uint64_t>& started) {
  return Runs(setup, workload_of, started).All();
}

}  // namespace coolspan
