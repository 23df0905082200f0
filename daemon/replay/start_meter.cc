// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/start_meter.h"

namespace coolspan {

StartMeter::StartMeter(const ReplaySetup& setup, const RunTimes& run_times,
                       TimeMs begin_ms)
    : run_times_(run_times),
      communication_share_(setup.runtime.communication_share),
      locality_(setup.machine->topology(), *setup.ordering) {
  if (setup.machine->room() != nullptr) {
    room_.emplace(setup.machine->room(), begin_ms);
  }
}

float StartMeter::ShareOf(const JobRun& run) const {
  return run.communication_share.value_or(communication_share_);
}

MeasuredStart StartMeter::Measure(const WorkloadJob& job,
                                  const Placement& placement) {
  MeasuredStart start;
  start.locality = locality_.Measure(placement.nodes);
  start.run = run_times_.RunOf(job.run_ms, job.nodes, start.locality,
                               placement.ask.seed);
  if (room_.has_value()) {
    start.cooling = room_->IfStarted(placement.nodes, ShareOf(start.run),
                                     placement.start_ms());
  }
  return start;
}

void StartMeter::Start(const Placement& placement, const JobRun& run) {
  if (!room_.has_value()) return;
  room_->Start(placement.job, placement.nodes, ShareOf(run),
               placement.start_ms());
}

void StartMeter::End(JobIndex job, TimeMs now_ms) {
  if (room_.has_value()) room_->End(job, now_ms);
}

}  // namespace coolspan
