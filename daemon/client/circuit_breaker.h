// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_CIRCUIT_BREAKER_H_
#define COOLSPAN_CLIENT_CIRCUIT_BREAKER_H_

#include <chrono>
#include <mutex>
#include <optional>

namespace coolspan {

// Decides whether a call may be risked, so that a dead or hung daemon costs the
// caller at most one deadline per period. The clock is the caller's.
//
//   closed     every call is admitted; one failure opens it
//   open       none is, until the period since the last failure is over
//   half open  one call is admitted; its outcome closes or opens it again
//
// Probes are calls nobody waits for (events, Status). A failed one opens the
// breaker or keeps it open for another period, so that while probes fail no
// caller ever pays; one that succeeds closes it at once. The exception is a
// daemon that answers probes but not calls: when two whole deadlines were paid
// within one period, no probe closes it before another period is over.
//
// Thread-safe.
class CircuitBreaker {
 public:
  using Clock = std::chrono::steady_clock;
  enum class State { kClosed, kOpen, kHalfOpen };
  // What a failed call cost its caller: an error at once, or the whole
  // deadline.
  enum class Cost { kAtOnce, kDeadline };

  explicit CircuitBreaker(Clock::duration period) : period_(period) {}

  // True: make the call and report its outcome by Succeeded or Failed.
  bool Admit(Clock::time_point now);
  void Succeeded(Clock::time_point now);
  void Failed(Clock::time_point now, Cost cost);

  void ProbeSucceeded(Clock::time_point now);
  void ProbeFailed(Clock::time_point now);

  State state(Clock::time_point now) const;

 private:
  State StateLocked(Clock::time_point now) const;
  void Open(Clock::time_point now);

  const Clock::duration period_;
  mutable std::mutex mutex_;
  std::optional<Clock::time_point> open_until_;  // empty: closed
  std::optional<Clock::time_point> trial_since_;
  std::optional<Clock::time_point> deadline_paid_;
  bool probes_close_ = true;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_CIRCUIT_BREAKER_H_
