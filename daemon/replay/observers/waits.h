// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_WAITS_H_
#define COOLSPAN_REPLAY_OBSERVERS_WAITS_H_

#include <vector>

#include "replay/observers/run_observer.h"

namespace coolspan {

// The spread of waits and bounded slowdowns of a run.
class Waits final : public RunObserver {
 public:
  absl::Status Started(const JobStart& start) override;
  void Report(RunReport& report) const override;

 private:
  // Of each job; float, since there may be 10^7 of them.
  std::vector<float> wait_s_;
  std::vector<float> slowdown_;
};

// max(1, (wait + run) / max(run, 10 s)): the bounded slowdown of Feitelson,
// Rudolph, Schwiegelshohn, Sevcik, Wong, "Theory and practice in parallel job
// scheduling", 1997, with the usual bound.
double BoundedSlowdown(double wait_s, double run_s);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_WAITS_H_
