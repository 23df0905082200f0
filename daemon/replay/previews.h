// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_PREVIEWS_H_
#define COOLSPAN_REPLAY_PREVIEWS_H_

#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "replay/allocator_port.h"
#include "replay/cluster.h"
#include "replay/replay.h"
#include "replay/run_metrics.h"
#include "replay/start_meter.h"

namespace coolspan {

// Evaluates the decision policies of a run: at each job start, each chooses
// from the same free nodes as the policy that places the job
// (cpa-rd100-cplant-bender, section 5, table 1). Not thread-safe.
class Previews {
 public:
  // port and meter: those of the run. All must outlive the object.
  Previews(const ReplaySetup& setup, AllocatorPort& port, StartMeter& meter);

  // REQUIRES a job with nodes chosen and not yet committed. Errors: the port's.
  absl::Status Ask(const WorkloadJob& job, const Placement& placement);
  std::vector<PreviewReport> Reports(double wall_s) const;

 private:
  const std::vector<std::string>& policies_;
  AllocatorPort& port_;
  StartMeter& meter_;
  std::deque<RunMetrics> metrics_;  // as policies_; elements do not move
  std::vector<NodeId> nodes_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_PREVIEWS_H_
