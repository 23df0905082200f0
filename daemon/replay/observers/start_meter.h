// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_START_METER_H_
#define COOLSPAN_REPLAY_OBSERVERS_START_METER_H_

#include <optional>

#include "replay/observers/pattern_meter.h"
#include "replay/observers/room_meter.h"
#include "replay/observers/run_observer.h"
#include "replay/replay.h"

namespace coolspan {

// Measures the job starts of one run: locality of the nodes, run time, and
// cooling of the room. Not thread-safe.
class StartMeter final : public RunObserver {
 public:
  // run: of setup. ideal_totals: of the machine, shared by the runs. begin_ms:
  // start of the energy totals. The others must outlive the object.
  StartMeter(const ReplaySetup& setup, const RunSpec& run,
             const RunTimes& run_times, IdealTotals& ideal_totals,
             TimeMs begin_ms);

  // nullptr: the machine has no room.
  RoomMeter* room() { return room_.has_value() ? &*room_ : nullptr; }
  // The measurements if the job started there. Changes nothing.
  MeasuredStart Measure(const WorkloadJob& job, const Placement& placement);

  // Later measurements include the job. REQUIRES that observers that measure
  // come first.
  absl::Status Started(const JobStart& start) override;
  void Moved(const JobMove& move) override;
  void Ended(const JobEnd& end) override;
  // The room stays as it is until the energy of ReplaySetup::min_energy_ms is
  // counted.
  void Finished() override;
  // The energy of the room, and the gain of task mapping.
  void Report(RunReport& report) const override;

 private:
  float ShareOf(const JobRun& run) const;

  const RunTimes& run_times_;
  const float communication_share_;  // if the run time model sets none
  const TimeMs min_energy_end_ms_;
  LocalityMeter locality_;
  std::optional<RoomMeter> room_;
  std::optional<PatternMeter> pattern_;
  const TimeMs begin_ms_;
  const bool jobs_migrate_;
  // From begin_ms_ on.
  struct Migrations {
    double moves = 0;
    double nodes = 0;
    double energy_j = 0;
  };
  Migrations migrations_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_START_METER_H_
