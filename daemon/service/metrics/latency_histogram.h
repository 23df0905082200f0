// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_METRICS_LATENCY_HISTOGRAM_H_
#define COOLSPAN_SERVICE_METRICS_LATENCY_HISTOGRAM_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace coolspan {

// Upper bounds of the buckets, in seconds, inclusive as in Prometheus: fine up
// to the usual deadlines of decisions, coarse for disks that stall.
inline constexpr double kLatencyBoundsS[] = {
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.015,
    0.02,   0.05,    0.1,    0.25,  0.5,    1,     2.5,  5};

// Numbers of durations by bucket. Not prometheus::Histogram, which takes a
// mutex: a reader that is kept from its core must not delay a decision.
// Thread-safe, without locks; a reading may lack durations that are being
// added.
class LatencyHistogram {
 public:
  // One more than bounds: the last has no upper bound.
  static constexpr std::size_t kBuckets = std::size(kLatencyBoundsS) + 1;

  struct Reading {
    std::array<std::uint64_t, kBuckets> counts{};  // of each bucket alone
    double sum_s = 0;

    std::uint64_t total() const {
      std::uint64_t sum = 0;
      for (const std::uint64_t count : counts) sum += count;
      return sum;
    }
  };

  // seconds: at least 0.
  void Add(double seconds) {
    const auto bucket = std::lower_bound(std::begin(kLatencyBoundsS),
                                         std::end(kLatencyBoundsS), seconds) -
                        std::begin(kLatencyBoundsS);
    counts_[static_cast<std::size_t>(bucket)].fetch_add(
        1, std::memory_order_relaxed);
    sum_ns_.fetch_add(
        static_cast<std::uint64_t>(std::llround(seconds * kNsPerS)),
        std::memory_order_relaxed);
  }

  Reading Read() const {
    Reading reading;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      reading.counts[i] = counts_[i].load(std::memory_order_relaxed);
    }
    reading.sum_s =
        static_cast<double>(sum_ns_.load(std::memory_order_relaxed)) / kNsPerS;
    return reading;
  }

 private:
  static constexpr double kNsPerS = 1e9;

  std::array<std::atomic<std::uint64_t>, kBuckets> counts_{};
  std::atomic<std::uint64_t> sum_ns_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_METRICS_LATENCY_HISTOGRAM_H_
