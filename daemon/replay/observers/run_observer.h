// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_RUN_OBSERVER_H_
#define COOLSPAN_REPLAY_OBSERVERS_RUN_OBSERVER_H_

#include <optional>

#include "absl/status/status.h"
#include "core/types.h"
#include "locality/locality.h"
#include "replay/cluster.h"
#include "replay/input/workload.h"
#include "replay/job_run.h"
#include "replay/observers/pattern_meter.h"
#include "replay/run_report.h"
#include "thermal/cooling.h"

namespace coolspan {

// The measurements of a job start.
struct MeasuredStart {
  JobRun run;
  // With a pattern of the job, comm_cost is that of its mapping.
  Locality locality;
  std::optional<PatternCost> pattern;
  std::optional<Cooling> cooling;  // including the job; if there is a room
};

struct JobStart {
  const WorkloadJob& job;
  const Placement& placement;
  const MeasuredStart& measured;
  bool counted = true;  // false: in the warm-up
};

// Follows one run and adds its results to the report. What a replay records is
// a list of observers, see PolicyRun. Times never decrease. Not thread-safe.
class RunObserver {
 public:
  RunObserver() = default;
  virtual ~RunObserver() = default;
  RunObserver(const RunObserver&) = delete;
  RunObserver& operator=(const RunObserver&) = delete;

  // A job arrives at the end of the queue.
  virtual void Submitted(const WorkloadJob& /*job*/, TimeMs /*now_ms*/) {}
  // The nodes are chosen and not yet committed, so that the port can preview
  // other policies. An error ends the run.
  virtual absl::Status Started(const JobStart& /*start*/) {
    return absl::OkStatus();
  }
  virtual void NodesChanged(const NodesChange& /*change*/) {}
  // A running job goes on on other nodes.
  virtual void Moved(const JobMove& /*move*/) {}
  // Before the nodes are released.
  virtual void Ended(const JobEnd& /*end*/) {}
  // After the last event.
  virtual void Finished() {}
  // After Finished. wall_s and peak_rss_mb of the report are set.
  virtual void Report(RunReport& report) const = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_RUN_OBSERVER_H_
