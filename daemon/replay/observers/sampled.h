// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_SAMPLED_H_
#define COOLSPAN_REPLAY_OBSERVERS_SAMPLED_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/types.h"
#include "replay/input/workload.h"

namespace coolspan {

// Values at evenly spaced instants of a run whose length is not known before
// its end: from begin_ms on, first one per second. When there are max_count
// values, every second one is dropped and the interval doubles, so at the end
// there are more than max_count / 2, unless the run is shorter than that many
// seconds. The result depends on the values only. Values of different sizes can
// have a further bound, is_full(values), which is checked before one is added.
template <typename Value>
class Sampled {
 public:
  // min_end_ms: the run ends then or later, which saves values that would be
  // dropped. REQUIRES an even max_count, min_end_ms >= begin_ms.
  Sampled(TimeMs begin_ms, TimeMs min_end_ms, std::size_t max_count)
      : begin_ms_(begin_ms), max_count_(max_count) {
    while (max_count * interval_ms_ <= LengthTo(min_end_ms)) interval_ms_ *= 2;
  }

  TimeMs begin_ms() const { return begin_ms_; }
  TimeMs interval_ms() const { return static_cast<TimeMs>(interval_ms_); }
  TimeMs TimeOf(std::size_t index) const {
    return begin_ms_ + interval_ms() * static_cast<TimeMs>(index);
  }
  const std::vector<Value>& values() const { return values_; }

  // Adds the value of each instant up to end_ms that has none: take() for each.
  // Few calls even for a long time, because the interval doubles.
  template <typename Take, typename IsFull>
  void AddThrough(TimeMs end_ms, Take&& take, IsFull&& is_full) {
    if (end_ms < begin_ms_) return;
    while (values_.size() * interval_ms_ <= LengthTo(end_ms)) {
      if (values_.size() > 1 &&
          (values_.size() >= max_count_ || is_full(values_))) {
        ThinOut();
      } else {
        values_.push_back(take());
      }
    }
  }

  template <typename Take>
  void AddThrough(TimeMs end_ms, Take&& take) {
    AddThrough(end_ms, take, [](const auto&) { return false; });
  }
  // The same without the instant end_ms.
  template <typename Take, typename... IsFull>
  void AddBefore(TimeMs end_ms, Take&& take, IsFull&&... is_full) {
    if (end_ms > begin_ms_) AddThrough(end_ms - 1, take, is_full...);
  }

 private:
  std::uint64_t LengthTo(TimeMs end_ms) const {
    return static_cast<std::uint64_t>(end_ms) -
           static_cast<std::uint64_t>(begin_ms_);
  }
  // Drops every second value, not the first, and doubles the interval.
  void ThinOut() {
    for (std::size_t i = 1; 2 * i < values_.size(); ++i) {
      values_[i] = std::move(values_[2 * i]);
    }
    values_.resize((values_.size() + 1) / 2);
    interval_ms_ *= 2;
  }

  TimeMs begin_ms_;
  std::size_t max_count_;
  std::uint64_t interval_ms_ = static_cast<std::uint64_t>(kMsPerSecond);
  std::vector<Value> values_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_SAMPLED_H_
