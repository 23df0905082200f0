// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/decision_times.h"

#include <algorithm>

namespace coolspan {

void DecisionTimes::Add(double elapsed_us, bool placed) {
  const std::lock_guard lock(mutex_);
  ++counts_.decisions;
  if (placed) ++counts_.placed;
  counts_.us_max = std::max(counts_.us_max, elapsed_us);
  if (window_us_.size() < kWindow) {
    window_us_.push_back(static_cast<float>(elapsed_us));
  } else {
    window_us_[next_] = static_cast<float>(elapsed_us);
  }
  next_ = (next_ + 1) % kWindow;
}

DecisionTimes::Summary DecisionTimes::Summarise() const {
  std::vector<float> times;
  Summary summary;
  {
    const std::lock_guard lock(mutex_);
    times = window_us_;
    summary = counts_;
  }
  if (times.empty()) return summary;
  const auto percentile = [&times](std::size_t percent) {
    // The least value that is not exceeded by `percent` of all.
    const std::size_t at = (times.size() * percent + 99) / 100 - 1;
    std::nth_element(times.begin(),
                     times.begin() + static_cast<std::ptrdiff_t>(at),
                     times.end());
    return static_cast<double>(times[at]);
  };
  summary.us_p50 = percentile(50);
  summary.us_p99 = percentile(99);
  return summary;
}

}  // namespace coolspan
