// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/policy_run.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "replay/cluster.h"
#include "replay/event_loop.h"
#include "replay/observers/deadlines.h"
#include "replay/observers/decision_time_meter.h"
#include "replay/observers/late_starts.h"
#include "replay/observers/link_meter.h"
#include "replay/observers/map_recorder.h"
#include "replay/observers/node_failures.h"
#include "replay/observers/picture_recorder.h"
#include "replay/observers/previews.h"
#include "replay/observers/run_metrics.h"
#include "replay/observers/time_series.h"
#include "replay/observers/waits.h"

namespace coolspan {
namespace {

double PeakRssMb() {
  constexpr double kKibPerMib = 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / kKibPerMib;
}

// The first submit, or the end of the warm-up.
TimeMs BeginMs(const Workload& workload, TimeMs warm_up_ms) {
  if (workload.jobs.empty()) return 0;
  return workload.jobs.front().submit_ms + warm_up_ms;
}

TimeMs LastSubmitMs(const Workload& workload) {
  return workload.jobs.empty() ? 0 : workload.jobs.back().submit_ms;
}

// Schedulers add the estimate to the start, so that sum must fit too.
absl::Status CheckEnd(const WorkloadJob& job, TimeMs estimate_ms,
                      const JobRun& run, TimeMs start_ms) {
  constexpr TimeMs kLatestMs = std::numeric_limits<TimeMs>::max();
  if (std::max(run.run_ms, estimate_ms) <=
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
      begin_ms_(BeginMs(shared.workload, shared.setup.warm_up_ms)),
      estimates_(shared.workload.jobs, shared.setup.estimates),
      network_(shared.run_times.NewNetwork()) {
  const ReplaySetup& setup = shared.setup;
  const bool runs_change =
      network_ != nullptr || setup.runs[index].scheduler.MigratesJobs();
  auto meter =
      std::make_unique<StartMeter>(setup, setup.runs[index], shared.run_times,
                                   shared.ideal_totals, begin_ms_);
  meter_ = meter.get();
  observers_.push_back(std::make_unique<RunMetrics>(setup.machine->node_count(),
                                                    begin_ms_, runs_change));
  observers_.push_back(std::make_unique<Waits>(begin_ms_, runs_change));
  observers_.push_back(
      std::make_unique<Deadlines>(shared.workload.jobs, begin_ms_));
  if (!setup.node_events.empty()) {
    observers_.push_back(std::make_unique<NodeFailures>(begin_ms_));
  }
  if (setup.runs[index].scheduler.NeedsStarts()) {
    observers_.push_back(std::make_unique<LateStarts>());
  }
  if (network_ != nullptr) {
    observers_.push_back(
        std::make_unique<LinkMeter>(shared.workload.jobs, *network_,
                                    setup.machine->room().get(), begin_ms_));
  }
  AddRecorders();
  observers_.push_back(
      std::make_unique<Previews>(setup, begin_ms_, port, *meter));
  if (shared.log != nullptr) {
    observers_.push_back(
        shared.log->Observer(index, setup.runs[index], runs_change));
  }
  observers_.push_back(std::move(meter));
  observers_.push_back(std::make_unique<DecisionTimeMeter>());
}

void PolicyRun::AddRecorders() {
  const ReplaySetup& setup = shared_.setup;
  const Recording& recording = setup.recording;
  const Ordering& ordering = *setup.runs[index_].ordering;
  const TimeMs begin_ms = BeginMs(shared_.workload, 0);
  const TimeMs min_end_ms = LastSubmitMs(shared_.workload);
  observers_.push_back(std::make_unique<TimeSeries>(
      TimeSeries::Setup{.machine = *setup.machine,
                        .ordering = ordering,
                        .room = meter_->room(),
                        .network = network_.get(),
                        .begin_ms = begin_ms,
                        .min_end_ms = min_end_ms,
                        .with_shape = recording.shape,
                        .in_report = recording.series}));
  if (recording.map_at_ms.has_value()) {
    observers_.push_back(std::make_unique<MapRecorder>(
        shared_.workload.jobs, network_.get(), *recording.map_at_ms));
  }
  if (std::binary_search(recording.pictured.begin(), recording.pictured.end(),
                         index_)) {
    observers_.push_back(std::make_unique<PictureRecorder>(
        PictureRecorder::Setup{.machine = *setup.machine,
                               .ordering = ordering,
                               .room = meter_->room(),
                               .jobs = shared_.workload.jobs,
                               .begin_ms = begin_ms,
                               .min_end_ms = min_end_ms,
                               .bounds = recording.picture_bounds}));
  }
}

void PolicyRun::OnSubmit(JobIndex job, TimeMs now_ms) {
  for (const std::unique_ptr<RunObserver>& observer : observers_) {
    observer->Submitted(shared_.workload.jobs[job], now_ms);
  }
}

absl::StatusOr<JobRun> PolicyRun::OnStart(const Placement& placement) {
  if (shared_.failed.load(std::memory_order_relaxed)) {
    return absl::CancelledError("another run failed");
  }
  const WorkloadJob& job = shared_.workload.jobs[placement.job];
  const MeasuredStart measured = meter_->Measure(job, placement);
  absl::Status ends = CheckEnd(job, estimates_.Of(placement.job), measured.run,
                               placement.start_ms());
  if (!ends.ok()) return ends;
  const JobStart start = {job, placement, measured, job.submit_ms >= begin_ms_};
  for (const std::unique_ptr<RunObserver>& observer : observers_) {
    absl::Status noted = observer->Started(start);
    if (!noted.ok()) return noted;
  }
  shared_.started.fetch_add(1, std::memory_order_relaxed);
  if (network_ != nullptr) StartOnNetwork(start);
  return measured.run;
}

void PolicyRun::StartOnNetwork(const JobStart& start) {
  const std::optional<PatternCost>& pattern = start.measured.pattern;
  std::optional<SharedNetwork::RankTraffic> traffic;
  if (pattern.has_value()) {
    traffic.emplace(
        SharedNetwork::RankTraffic{*pattern->pattern, pattern->rank_to_node});
  }
  network_->Started({.job = start.placement.job,
                     .nodes = start.placement.nodes,
                     .traffic = traffic.has_value() ? &*traffic : nullptr,
                     .logged_ms = start.measured.run.run_ms,
                     .now_ms = start.placement.start_ms()},
                    shared_.setup.machine->topology());
}

void PolicyRun::OnEnd(const JobEnd& end) {
  for (const std::unique_ptr<RunObserver>& observer : observers_) {
    observer->Ended(end);
  }
  if (network_ != nullptr) network_->Ended(end.job);
}

void PolicyRun::MoveEnds(Cluster& cluster) {
  network_->Update(cluster.now_ms(), [&cluster](JobIndex job, TimeMs end_ms) {
    cluster.MoveEnd(job, end_ms);
  });
}

absl::Status PolicyRun::RunJobs() {
  const ReplaySetup& setup = shared_.setup;
  const std::vector<WorkloadJob>& jobs = shared_.workload.jobs;
  const RunSpec& spec = setup.runs[index_];
  const std::unique_ptr<Scheduler> scheduler = spec.scheduler.Make(
      {.jobs = jobs,
       .estimates = estimates_,
       .machine = setup.machine.get(),
       .seed = spec.seed,
       .values = {},
       .warm_up_ms = setup.warm_up_ms,
       .min_energy_ms = setup.min_energy_ms,
       .communication_share = setup.runtime.communication_share});
  Cluster cluster(
      {.jobs = jobs,
       .estimates = estimates_,
       .machine_nodes = setup.machine->node_count(),
       .has_node_events = !setup.node_events.empty(),
       .seed = spec.seed,
       .communication_share = setup.runtime.communication_share,
       .room = setup.machine->room().get()},
      port_, [this](const Placement& placement) { return OnStart(placement); },
      [this](const JobEnd& end) { OnEnd(end); },
      [this](JobIndex job, TimeMs now_ms) { OnSubmit(job, now_ms); },
      [this](const NodesChange& change) {
        for (const std::unique_ptr<RunObserver>& observer : observers_) {
          observer->NodesChanged(change);
        }
      },
      [this](const JobMove& move) {
        for (const std::unique_ptr<RunObserver>& observer : observers_) {
          observer->Moved(move);
        }
      });
  AfterPass after_pass;
  if (network_ != nullptr) {
    after_pass = [this](Cluster& moved) { MoveEnds(moved); };
  }
  if (absl::Status run =
          RunEvents({.jobs = jobs, .nodes = setup.node_events}, estimates_,
                    *scheduler, cluster, std::move(after_pass));
      !run.ok()) {
    return run;
  }
  most_beyond_depth_ = scheduler->most_beyond_depth();
  return port_.Finish();
}

absl::StatusOr<RunReport> PolicyRun::Run() {
  using Clock = std::chrono::steady_clock;
  const RunSpec& spec = shared_.setup.runs[index_];
  const Clock::time_point begun = Clock::now();
  if (const absl::Status done = RunJobs(); !done.ok()) {
    const std::string message(done.message());
    return absl::Status(done.code(),
                        fmt::format("{}: {}", spec.policy, message));
  }
  const std::chrono::duration<double> wall = Clock::now() - begun;
  RunReport report;
  report.run = spec;
  report.wall_s = wall.count();
  report.peak_rss_mb = PeakRssMb();
  report.most_beyond_depth = most_beyond_depth_;
  for (const std::unique_ptr<RunObserver>& observer : observers_) {
    observer->Finished();
    observer->Report(report);
  }
  return report;
}

}  // namespace coolspan
