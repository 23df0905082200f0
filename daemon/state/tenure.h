// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_TENURE_H_
#define COOLSPAN_STATE_TENURE_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

namespace coolspan {

// Until when a daemon may answer decisions: a margin before its lease can end
// in the store. Thread-safe.
class LeaseTime {
 public:
  using Clock = std::chrono::steady_clock;

  // From no time on.
  void End() { until_ = 0; }
  void ExtendTo(Clock::time_point until) {
    until_ = until.time_since_epoch().count();
  }
  bool IsValid(Clock::time_point now) const {
    return now.time_since_epoch().count() < until_;
  }

 private:
  std::atomic<Clock::rep> until_ = 0;
};

// The time in which this daemon decides for one cluster, from an election until
// it is over for good. Thread-safe.
class Tenure {
 public:
  // term: what the store compares with each write. lease: of the daemon.
  Tenure(std::uint64_t term, std::shared_ptr<const LeaseTime> lease)
      : term_(term), lease_(std::move(lease)) {}

  std::uint64_t term() const { return term_; }
  // Another daemon leads, or may: nothing can be written in this term.
  void End() { is_over_ = true; }
  bool is_over() const { return is_over_; }
  // Whether an answer may leave now.
  bool IsCurrent() const {
    return !is_over_ && lease_->IsValid(LeaseTime::Clock::now());
  }

 private:
  const std::uint64_t term_;
  const std::shared_ptr<const LeaseTime> lease_;
  std::atomic<bool> is_over_ = false;
};

}  // namespace coolspan

#endif  // COOLSPAN_STATE_TENURE_H_
