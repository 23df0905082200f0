// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_DECISION_TIMES_H_
#define COOLSPAN_SERVICE_CLUSTERS_DECISION_TIMES_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace coolspan {

// Durations of decisions. Counts are since daemon start, percentiles over the
// last kWindow decisions. Thread-safe.
class DecisionTimes {
 public:
  static constexpr std::size_t kWindow = 8192;

  struct Summary {
    std::uint64_t decisions = 0;
    std::uint64_t placed = 0;
    double us_p50 = 0;
    double us_p99 = 0;
    double us_max = 0;  // since daemon start
  };

  void Add(double elapsed_us, bool placed);
  Summary Summarise() const;

 private:
  mutable std::mutex mutex_;
  std::vector<float> window_us_;
  std::size_t next_ = 0;
  Summary counts_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_DECISION_TIMES_H_
