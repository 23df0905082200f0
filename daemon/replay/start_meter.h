// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_START_METER_H_
#define COOLSPAN_REPLAY_START_METER_H_

#include <optional>

#include "replay/replay.h"
#include "replay/room_meter.h"
#include "replay/run_metrics.h"

namespace coolspan {

// Measures the job starts of one run: locality of the nodes, run time, and
// cooling of the room. Not thread-safe.
class StartMeter {
 public:
  // begin_ms: start of the energy totals. The others must outlive the object.
  StartMeter(const ReplaySetup& setup, const RunTimes& run_times,
             TimeMs begin_ms);

  // The measurements if the job started there. Changes nothing.
  MeasuredStart Measure(const WorkloadJob& job, const Placement& placement);
  // The job starts there.
  void Start(const Placement& placement, const JobRun& run);
  void End(JobIndex job, TimeMs now_ms);
  // nullptr without a room.
  const RoomMeter::Totals* room_totals() const {
    return room_.has_value() ? &room_->totals() : nullptr;
  }

 private:
  float ShareOf(const JobRun& run) const;

  const RunTimes& run_times_;
  const float communication_share_;  // if the run time model sets none
  LocalityMeter locality_;
  std::optional<RoomMeter> room_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_START_METER_H_
