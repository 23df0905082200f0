// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_START_METER_H_
#define COOLSPAN_REPLAY_START_METER_H_

#include <memory>
#include <optional>

#include "replay/replay.h"
#include "replay/room_meter.h"
#include "replay/run_metrics.h"

namespace coolspan {

// Measures what jobs get in one run: how compact it is, how long they run
// there, what the room is like with them. Not thread-safe.
class StartMeter {
 public:
  // begin_ms: energy is counted from then on. Both others must outlive it.
  StartMeter(const ReplaySetup& setup, const RunTimes& run_times,
             TimeMs begin_ms);

  // What starting there would mean; changes nothing.
  MeasuredStart Measure(const WorkloadJob& job, const Placement& placement);
  // The job does start there.
  void Start(const Placement& placement, const JobRun& run);
  void End(JobIndex job, TimeMs now_ms);
  // nullptr without a room.
  const RoomMeter::Totals* room_totals() const {
    return room_.has_value() ? &room_->totals() : nullptr;
  }

 private:
  float ShareOf(const JobRun& run) const;

  const RunTimes& run_times_;
  const float communication_share_;  // where nothing delays it
  LocalityMeter locality_;
  std::optional<RoomMeter> room_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_START_METER_H_
