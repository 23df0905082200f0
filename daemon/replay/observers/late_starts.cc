// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/late_starts.h"

#include <algorithm>

namespace coolspan {

absl::Status LateStarts::Started(const JobStart& start) {
  const TimeMs recorded_ms = start.job.recorded_start_ms;
  if (!start.counted || start.placement.start_ms() <= recorded_ms ||
      recorded_ms == kUnknownStartMs) {
    return absl::OkStatus();
  }
  const double late_s = ToSeconds(start.placement.start_ms() - recorded_ms);
  ++jobs_;
  sum_s_ += late_s;
  max_s_ = std::max(max_s_, late_s);
  return absl::OkStatus();
}

void LateStarts::Report(RunReport& report) const {
  const auto jobs = static_cast<double>(jobs_);
  report.metrics.push_back({"late_jobs", jobs});
  report.metrics.push_back({"mean_late_s", Ratio(sum_s_, jobs)});
  report.metrics.push_back({"late_s_max", max_s_});
}

}  // namespace coolspan
