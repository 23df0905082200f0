// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_RETENTION_CLOCK_H_
#define COOLSPAN_SERVICE_JOURNAL_RETENTION_CLOCK_H_

#include <chrono>
#include <functional>
#include <mutex>

#include "core/types.h"

namespace coolspan {

// The time by which stored things grow old. It follows the wall clock, but
// nothing becomes old by a wall clock that is set wrongly: it never goes back,
// and goes forward at most a tenth faster than time passes, and by at most an
// hour across a restart. What is stored may therefore be kept longer after a
// long downtime, by up to the time that the daemon was down. If the first wall
// clock, or a stored time, is ahead, it stands until the wall clock is there.
// Thread-safe.
class RetentionClock {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  static constexpr TimeMs kMaxStepMs = TimeMs{3600} * 1000;

  // last_ms: the latest time that is stored; 0: none. wall_ms: since 1970.
  // steady: time that passes.
  RetentionClock(
      TimeMs last_ms, std::function<TimeMs()> wall_ms,
      std::function<Steady()> steady = &std::chrono::steady_clock::now);

  TimeMs Now();

 private:
  const std::function<TimeMs()> wall_ms_;
  const std::function<Steady()> steady_;
  std::mutex mutex_;
  TimeMs now_ms_;
  Steady read_;  // when now_ms_ was set
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_RETENTION_CLOCK_H_
