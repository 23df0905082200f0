// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/retention_clock.h"

#include <algorithm>
#include <utility>

namespace coolspan {
namespace {

// How much faster than time passes it follows a wall clock that is ahead.
constexpr std::int64_t kCatchUpDivisor = 10;

TimeMs FirstTime(TimeMs last_ms, TimeMs wall_ms) {
  if (last_ms == 0 || wall_ms <= last_ms) return std::max(last_ms, wall_ms);
  return last_ms + std::min(wall_ms - last_ms, RetentionClock::kMaxStepMs);
}

}  // namespace

RetentionClock::RetentionClock(TimeMs last_ms, std::function<TimeMs()> wall_ms,
                               std::function<Steady()> steady)
    : wall_ms_(std::move(wall_ms)),
      steady_(std::move(steady)),
      now_ms_(FirstTime(last_ms, wall_ms_())),
      read_(steady_()) {}

TimeMs RetentionClock::Now() {
  const std::lock_guard lock(mutex_);
  const Steady read = steady_();
  const TimeMs passed_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(read - read_)
          .count();
  // So little that a tenth of it would be lost.
  if (passed_ms < kCatchUpDivisor) return now_ms_;
  read_ += std::chrono::milliseconds(passed_ms);
  const TimeMs max_ms = now_ms_ + passed_ms + passed_ms / kCatchUpDivisor;
  now_ms_ = std::max(now_ms_, std::min(wall_ms_(), max_ms));
  return now_ms_;
}

}  // namespace coolspan
