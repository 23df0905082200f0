// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_CIRCUIT_BREAKER_H_
#define COOLSPAN_CLIENT_CIRCUIT_BREAKER_H_

#include <chrono>
#include <deque>
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
// caller ever pays; one that succeeds closes it at once, with two exceptions:
//   - the last two calls both cost a deadline: the daemon answers probes but
//     not calls, and only the end of the period closes it;
//   - calls are answered now and then: each further deadline within a period
//     keeps it open for twice as long, from a 32nd of the period.
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

  // True: make the call and report its outcome by Succeeded or Failed, or that
  // it was not made after all by Withdrawn.
  bool Admit(Clock::time_point now);
  void Succeeded(Clock::time_point now);
  void Failed(Clock::time_point now, Cost cost);
  // Nothing was learnt; the next call may be the trial.
  void Withdrawn();

  void ProbeSucceeded(Clock::time_point now);
  void ProbeFailed(Clock::time_point now);

  State state(Clock::time_point now) const;

 private:
  State StateLocked(Clock::time_point now) const;
  void Open(Clock::time_point now);
  void PayDeadline(Clock::time_point now);

  const Clock::duration period_;
  mutable std::mutex mutex_;
  std::optional<Clock::time_point> open_until_;  // empty: closed
  std::optional<Clock::time_point> trial_since_;
  bool answered_since_deadline_ = true;
  std::deque<Clock::time_point> deadlines_paid_;  // within the last period
  Clock::time_point probes_close_from_{};
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_CIRCUIT_BREAKER_H_
