// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_DECISION_TIMES_H_
#define COOLSPAN_SERVICE_CLUSTERS_DECISION_TIMES_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "config/placement_mode.h"
#include "service/metrics/latency_histogram.h"

namespace coolspan {

// Numbers and durations of decisions, for `coolspan status` and the metrics
// page. Counts are since daemon start, percentiles over the last kWindow
// decisions. Thread-safe; Add takes no lock, except for the first decision of a
// policy.
class DecisionTimes {
 public:
  static constexpr std::size_t kWindow = 8192;
  // Decisions of further policies are counted as "other". A daemon file and its
  // comment policies name fewer.
  static constexpr std::size_t kMaxPolicies = 64;

  struct Sample {
    std::string_view policy;  // its spec
    PlacementMode mode = PlacementMode::kEnforce;
    double elapsed_us = 0;
    bool placed = false;
    bool stopped_early = false;  // by the deadline
  };
  struct Summary {
    std::uint64_t decisions = 0;
    std::uint64_t placed = 0;
    double us_p50 = 0;
    double us_p99 = 0;
    double us_max = 0;  // since daemon start
  };
  struct PolicyReading {
    std::string policy;
    // By PlacementMode.
    std::array<std::uint64_t, std::size(kPlacementModes)> placed{};
    std::array<std::uint64_t, std::size(kPlacementModes)> not_placed{};
    std::uint64_t stopped_early = 0;
    LatencyHistogram::Reading times;
  };

  void Add(const Sample& sample);
  Summary Summarise() const;
  // In the order of their first decisions.
  std::vector<PolicyReading> ByPolicy() const;

 private:
  using Count = std::atomic<std::uint64_t>;
  struct Series {
    std::string policy;
    std::array<Count, std::size(kPlacementModes)> placed{};
    std::array<Count, std::size(kPlacementModes)> not_placed{};
    Count stopped_early = 0;
    LatencyHistogram times;
  };

  Series& SeriesOf(std::string_view policy);

  // The names of the first series_count_ are never changed.
  std::array<Series, kMaxPolicies> series_;
  std::atomic<std::size_t> series_count_ = 0;
  std::mutex adding_series_;
  std::array<std::atomic<float>, kWindow> window_us_{};
  Count window_added_ = 0;
  std::atomic<double> us_max_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_DECISION_TIMES_H_
