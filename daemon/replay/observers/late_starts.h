// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_LATE_STARTS_H_
#define COOLSPAN_REPLAY_OBSERVERS_LATE_STARTS_H_

#include <cstdint>

#include "replay/observers/run_observer.h"

namespace coolspan {

// Compares the starts of a run with those of the trace. Not thread-safe.
class LateStarts final : public RunObserver {
 public:
  absl::Status Started(const JobStart& start) override;
  // late_jobs (jobs that start after their recorded start), mean_late_s (over
  // these) and late_s_max.
  void Report(RunReport& report) const override;

 private:
  std::uint64_t jobs_ = 0;
  double sum_s_ = 0;
  double max_s_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_LATE_STARTS_H_
