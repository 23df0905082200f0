// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_WAITS_H_
#define COOLSPAN_REPLAY_OBSERVERS_WAITS_H_

#include <vector>

#include "replay/observers/run_observer.h"

namespace coolspan {

// The spread of waits and bounded slowdowns of a run.
class Waits final : public RunObserver {
 public:
  // Of the jobs submitted from begin_ms on. runs_change: the run times of
  // started jobs change.
  explicit Waits(TimeMs begin_ms, bool runs_change = false)
      : begin_ms_(begin_ms), runs_change_(runs_change) {}
  absl::Status Started(const JobStart& start) override;
  // Forgets a start that a failed node has ended.
  void Ended(const JobEnd& end) override;
  void Report(RunReport& report) const override;

 private:
  void Forget(double wait_s, double slowdown);

  const TimeMs begin_ms_;
  const bool runs_change_;
  std::vector<double> wait_s_;
  std::vector<double> slowdown_;
};

// max(1, (wait + run) / max(run, 10 s)): the bounded slowdown of Feitelson,
// Rudolph, Schwiegelshohn, Sevcik, Wong, "Theory and practice in parallel job
// scheduling", 1997, with the usual bound.
double BoundedSlowdown(double wait_s, double run_s);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_WAITS_H_
