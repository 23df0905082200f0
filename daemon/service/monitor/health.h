// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_MONITOR_HEALTH_H_
#define COOLSPAN_SERVICE_MONITOR_HEALTH_H_

#include <atomic>
#include <chrono>
#include <functional>

#include "absl/status/status.h"
#include "service/journal/journal.h"
#include "state/leadership.h"

namespace coolspan {

// Whether the daemon works and can answer. Thread-safe; no call waits for a
// lock that is held during a decision or a write.
class Health {
 public:
  using Clock = std::chrono::steady_clock;

  // A pass over all clusters takes their locks every quarter of a second.
  static constexpr std::chrono::seconds kMaxTickAge{10};
  // Longer than any healthy disk takes.
  static constexpr std::chrono::seconds kMaxWrite{4};

  // journal and leadership must outlive the object. leadership: nullptr, this
  // is the only daemon.
  explicit Health(const Journal& journal,
                  const Leadership* leadership = nullptr,
                  std::function<Clock::time_point()> clock = &Clock::now);

  // A pass over all clusters has ended.
  void NoteTick();

  // Decisions are refused until it is called with false.
  void SetDrained(bool is_drained) { is_drained_ = is_drained; }
  bool is_drained() const { return is_drained_; }

  // Error: UNAVAILABLE, the passes over the clusters have stopped: a lock is
  // not released, or a thread has died.
  absl::Status Alive() const;
  // Whether a decision can be answered. Errors: Alive's; UNAVAILABLE (the
  // daemon is drained; the ledger cannot be written, or the disk or etcd does
  // not answer; the journal is full).
  absl::Status Ready() const;

 private:
  const Journal& journal_;
  const Leadership* const leadership_;
  const std::function<Clock::time_point()> clock_;
  std::atomic<Clock::time_point> last_tick_;
  std::atomic<bool> is_drained_ = false;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_MONITOR_HEALTH_H_
