// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_DECISION_TIME_METER_H_
#define COOLSPAN_REPLAY_OBSERVERS_DECISION_TIME_METER_H_

#include <vector>

#include "replay/observers/run_observer.h"
#include "replay/run_report.h"

namespace coolspan {

// Real times of a run: percentiles of the decisions, jobs per second.
class DecisionTimeMeter final : public RunObserver {
 public:
  absl::Status Started(const JobStart& start) override;
  void Report(RunReport& report) const override;

  void AppendTo(std::vector<NamedValue>& values, double wall_s) const;

 private:
  std::vector<float> decision_us_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_DECISION_TIME_METER_H_
