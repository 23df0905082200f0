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

// The decision policies of a run whose own policy makes the situation: at each
// start all are asked the same question on the same free nodes
// (cpa-rd100-cplant-bender, section 5, table 1). Not thread-safe.
class Previews {
 public:
  // All must outlive it; port and meter are the run's.
  Previews(const ReplaySetup& setup, AllocatorPort& port, StartMeter& meter);

  // When the job's nodes are chosen and not committed yet. Errors: the port's.
  absl::Status Ask(const WorkloadJob& job, const Placement& placement);
  std::vector<PreviewReport> Reports(double wall_s) const;

 private:
  const std::vector<std::string>& policies_;
  AllocatorPort& port_;
  StartMeter& meter_;
  std::deque<RunMetrics> metrics_;  // as policies_; elements stay in place
  std::vector<NodeId> nodes_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_PREVIEWS_H_
