// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/decision_times.h"

#include <algorithm>

namespace coolspan {
namespace {

constexpr const char* kOtherPolicies = "other";

void RaiseTo(double value, std::atomic<double>& max) {
  double seen = max.load(std::memory_order_relaxed);
  while (seen < value &&
         !max.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

DecisionTimes::Series& DecisionTimes::SeriesOf(std::string_view policy) {
  std::size_t count = series_count_.load(std::memory_order_acquire);
  std::size_t i = 0;
  const auto find = [&] {
    while (i < count && series_[i].policy != policy) ++i;
    return i < count;
  };
  if (find()) return series_[i];
  if (count == kMaxPolicies) return series_.back();
  const std::lock_guard lock(adding_series_);
  count = series_count_.load(std::memory_order_relaxed);
  if (find()) return series_[i];
  if (count == kMaxPolicies) return series_.back();
  const bool is_last = count + 1 == kMaxPolicies;
  series_[count].policy = is_last ? kOtherPolicies : policy;
  series_count_.store(count + 1, std::memory_order_release);
  return series_[count];
}

void DecisionTimes::Add(const Sample& sample) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  Series& series = SeriesOf(sample.policy);
  const auto mode = static_cast<std::size_t>(sample.mode);
  (sample.placed ? series.placed : series.not_placed)[mode].fetch_add(1,
                                                                      kRelaxed);
  if (sample.stopped_early) series.stopped_early.fetch_add(1, kRelaxed);
  constexpr double kSecondsPerUs = 1e-6;
  series.times.Add(sample.elapsed_us * kSecondsPerUs);
  const std::uint64_t place = window_added_.fetch_add(1, kRelaxed);
  window_us_[place % kWindow].store(static_cast<float>(sample.elapsed_us),
                                    kRelaxed);
  RaiseTo(sample.elapsed_us, us_max_);
}

std::vector<DecisionTimes::PolicyReading> DecisionTimes::ByPolicy() const {
  std::vector<PolicyReading> readings(
      series_count_.load(std::memory_order_acquire));
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const Series& series = series_[i];
    PolicyReading& reading = readings[i];
    reading.policy = series.policy;
    std::copy(series.placed.begin(), series.placed.end(),
              reading.placed.begin());
    std::copy(series.not_placed.begin(), series.not_placed.end(),
              reading.not_placed.begin());
    reading.stopped_early = series.stopped_early;
    reading.times = series.times.Read();
  }
  return readings;
}

DecisionTimes::Summary DecisionTimes::Summarise() const {
  Summary summary;
  for (const PolicyReading& reading : ByPolicy()) {
    for (const std::uint64_t count : reading.placed) summary.placed += count;
    for (const std::uint64_t count : reading.not_placed) {
      summary.decisions += count;
    }
  }
  summary.decisions += summary.placed;
  summary.us_max = us_max_;
  const std::size_t in_window = std::min<std::uint64_t>(window_added_, kWindow);
  if (in_window == 0) return summary;
  std::vector<float> times(window_us_.begin(),
                           window_us_.begin() + static_cast<int>(in_window));
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
