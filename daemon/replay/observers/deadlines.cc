// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/deadlines.h"

#include <optional>

namespace coolspan {

void Deadlines::Ended(const JobEnd& end) {
  const WorkloadJob& job = jobs_[end.job];
  if (end.failed || job.submit_ms < begin_ms_ ||
      job.deadline_ms == kNoDeadlineMs) {
    return;
  }
  has_deadlines_ = true;
  if (end.now_ms > job.deadline_ms) ++missed_;
}

void Deadlines::Report(RunReport& report) const {
  report.metrics.push_back(
      {"deadlines_missed", has_deadlines_
                               ? std::optional(static_cast<double>(missed_))
                               : std::nullopt});
}

}  // namespace coolspan
