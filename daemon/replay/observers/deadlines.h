// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_DEADLINES_H_
#define COOLSPAN_REPLAY_OBSERVERS_DEADLINES_H_

#include <cstdint>
#include <span>

#include "replay/observers/run_observer.h"

namespace coolspan {

// Counts the jobs that end after their deadline. Not thread-safe.
class Deadlines final : public RunObserver {
 public:
  // The jobs of the run, which must outlive the object; those submitted before
  // begin_ms are not counted.
  Deadlines(std::span<const WorkloadJob> jobs, TimeMs begin_ms)
      : jobs_(jobs), begin_ms_(begin_ms) {}

  void Ended(const JobEnd& end) override;
  // deadlines_missed; no value if no job has a deadline.
  void Report(RunReport& report) const override;

 private:
  const std::span<const WorkloadJob> jobs_;
  const TimeMs begin_ms_;
  bool has_deadlines_ = false;
  std::uint64_t missed_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_DEADLINES_H_
