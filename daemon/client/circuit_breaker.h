// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_CIRCUIT_BREAKER_H_
#define COOLSPAN_CLIENT_CIRCUIT_BREAKER_H_

#include <chrono>
#include <deque>
#include <mutex>
#include <optional>

namespace coolspan {

// Decides whether a call is made, so that a dead or hung daemon delays callers
// by at most one deadline per period. Times are passed in by the caller.
//
//   closed     every call is admitted; a failure opens the breaker
//   open       no call is admitted for one period after the last failure
//   half open  one call, the trial, is admitted; its outcome closes or opens
//              the breaker
//
// Probes are calls in the background (events, Status). A failed probe opens the
// breaker, or keeps it open for another period: while probes fail, no caller is
// delayed. A successful probe closes it immediately, with two exceptions:
//   - the last two calls both exceeded the deadline: the daemon answers probes
//     but not calls, and the breaker becomes half open after the period;
//   - some calls are answered, others exceed the deadline: the first exceeded
//     deadline within a period has no effect on probes, the next one keeps the
//     breaker open for 1/32 of the period, each further one twice as long.
//
// Thread-safe.
class CircuitBreaker {
 public:
  using Clock = std::chrono::steady_clock;
  enum class State { kClosed, kOpen, kHalfOpen };
  // How long a failed call delayed its caller: not at all, or for the whole
  // deadline.
  enum class Delay { kNone, kDeadline };

  explicit CircuitBreaker(Clock::duration period) : period_(period) {}

  // If true, the caller makes the call and reports its outcome by Succeeded or
  // Failed, or by Cancelled if the call was not made.
  bool Admit(Clock::time_point now);
  void Succeeded(Clock::time_point now);
  void Failed(Clock::time_point now, Delay delay);
  // The call was not made; the next one may be the trial.
  void Cancelled();

  void ProbeSucceeded(Clock::time_point now);
  void ProbeFailed(Clock::time_point now);

  State state(Clock::time_point now) const;

 private:
  State StateLocked(Clock::time_point now) const;
  void Open(Clock::time_point now);
  void NoteDeadline(Clock::time_point now);

  const Clock::duration period_;
  mutable std::mutex mutex_;
  std::optional<Clock::time_point> open_until_;  // empty: closed
  std::optional<Clock::time_point> trial_since_;
  bool answered_since_deadline_ = true;
  std::deque<Clock::time_point> deadline_times_;  // within the last period
  Clock::time_point probes_close_from_{};
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_CIRCUIT_BREAKER_H_
