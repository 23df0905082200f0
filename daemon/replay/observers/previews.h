// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_PREVIEWS_H_
#define COOLSPAN_REPLAY_OBSERVERS_PREVIEWS_H_

#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "replay/observers/decision_time_meter.h"
#include "replay/observers/run_metrics.h"
#include "replay/observers/run_observer.h"
#include "replay/observers/start_meter.h"
#include "replay/ports/allocator_port.h"
#include "replay/replay.h"

namespace coolspan {

// Evaluates the decision policies of a run: at each job start, each chooses
// from the same free nodes as the policy that places the job
// (cpa-rd100-cplant-bender, section 5, table 1). Not thread-safe.
class Previews final : public RunObserver {
 public:
  // port and meter: those of the run; begin_ms: RunMetrics'. All must outlive
  // the object.
  Previews(const ReplaySetup& setup, TimeMs begin_ms, AllocatorPort& port,
           StartMeter& meter);

  // Errors: the port's.
  absl::Status Started(const JobStart& start) override;
  void Ended(const JobEnd& end) override;
  void Report(RunReport& report) const override;

 private:
  struct Evaluated {
    Evaluated(NodeCount machine_nodes, TimeMs begin_ms)
        : metrics(machine_nodes, begin_ms) {}
    RunMetrics metrics;
    DecisionTimeMeter times;
  };

  const std::vector<std::string>& policies_;
  AllocatorPort& port_;
  StartMeter& meter_;
  std::deque<Evaluated> evaluated_;  // as policies_; elements do not move
  std::vector<NodeId> nodes_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_PREVIEWS_H_
