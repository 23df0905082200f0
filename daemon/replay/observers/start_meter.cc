// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/start_meter.h"

#include <vector>

#include "replay/node_speed.h"

namespace coolspan {

StartMeter::StartMeter(const ReplaySetup& setup, const RunSpec& run,
                       const RunTimes& run_times, IdealTotals& ideal_totals,
                       TimeMs begin_ms)
    : run_times_(run_times),
      communication_share_(setup.runtime.communication_share),
      min_energy_end_ms_(begin_ms + setup.min_energy_ms),
      locality_(setup.machine->topology(), *run.ordering, &ideal_totals),
      begin_ms_(begin_ms),
      jobs_migrate_(run.scheduler.MigratesJobs()) {
  if (setup.machine->room() != nullptr) {
    room_.emplace(setup.machine->room(), begin_ms);
  }
  if (setup.pattern != nullptr) pattern_.emplace(setup.machine, setup.pattern);
}

float StartMeter::ShareOf(const JobRun& run) const {
  return run.communication_share.value_or(communication_share_);
}

MeasuredStart StartMeter::Measure(const WorkloadJob& job,
                                  const Placement& placement) {
  MeasuredStart start;
  start.locality = locality_.Measure(placement.nodes);
  const TimeMs run_ms =
      room_.has_value()
          ? AtSpeed(job.run_ms, SlowestSpeed(room_->room(), placement.nodes))
          : job.run_ms;
  start.run =
      run_times_.RunOf(run_ms, job.nodes, start.locality, placement.ask.seed);
  if (pattern_.has_value()) {
    start.pattern = pattern_->Measure(placement.nodes, placement.ask.seed);
    if (start.pattern.has_value()) {
      start.locality.comm_cost = start.pattern->comm_cost;
    }
  }
  if (room_.has_value()) {
    start.cooling = room_->IfStarted(placement.nodes, ShareOf(start.run),
                                     placement.start_ms());
  }
  return start;
}

absl::Status StartMeter::Started(const JobStart& start) {
  if (room_.has_value()) {
    room_->Start(start.placement.nodes, ShareOf(start.measured.run),
                 start.placement.start_ms());
  }
  if (pattern_.has_value() && start.counted) {
    pattern_->Count(start.job.nodes, start.measured.pattern);
  }
  return absl::OkStatus();
}

void StartMeter::Moved(const JobMove& move) {
  if (room_.has_value()) room_->Move(move.from, move.to, move.now_ms);
  if (move.now_ms < begin_ms_) return;
  ++migrations_.moves;
  migrations_.nodes += move.moved_nodes;
  migrations_.energy_j += move.energy_j;
}

void StartMeter::Ended(const JobEnd& end) {
  if (room_.has_value()) room_->End(end.nodes, end.now_ms);
}

void StartMeter::Finished() {
  if (room_.has_value()) room_->Wait(min_energy_end_ms_);
}

void StartMeter::Report(RunReport& report) const {
  if (pattern_.has_value()) pattern_->Report(report);
  std::vector<NamedValue>& values = report.metrics;
  if (jobs_migrate_) {
    values.push_back({"migrations", migrations_.moves});
    values.push_back({"migrated_nodes", migrations_.nodes});
    values.push_back({"migration_energy_j", migrations_.energy_j});
  }
  if (!room_.has_value()) return;
  const RoomMeter::Totals& totals = room_->totals();
  values.push_back({"it_energy_j", totals.it_energy_j});
  values.push_back({"cooling_energy_j", totals.cooling_energy_j});
  values.push_back(
      {"total_energy_j",
       totals.it_energy_j + totals.cooling_energy_j + migrations_.energy_j});
  values.push_back(
      {"mean_cooling_w", Ratio(totals.cooling_energy_j, totals.time_s)});
  values.push_back({"cop_not_sensible_s", totals.cop_not_sensible_s});
}

}  // namespace coolspan
