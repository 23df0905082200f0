// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_CIRCUIT_BREAKER_H_
#define COOLSPAN_CLIENT_CIRCUIT_BREAKER_H_

#include <chrono>
#include <mutex>
#include <optional>

namespace coolspan {

// Decides whether a call is made, so that a dead or hung daemon delays callers
// for a bounded time only. Times are passed in by the caller.
//
//   closed     every call is admitted
//   open       no call is admitted for one period after the last failure
//   half open  one call, the trial, is admitted; its outcome closes or opens
//              the breaker
//
// A call that fails without a delay opens the breaker. A call that exceeds the
// deadline uses up one of kMaxMisses misses, of which every kAnswersPerMiss
// answered calls restore one; without misses left the breaker opens. A daemon
// that stalls for less than kMaxMisses deadlines thus loses only the calls made
// meanwhile, not all others of a burst.
//
// Probes are calls in the background (events, KeepAlive). A failed probe opens
// the breaker, or keeps it open for another period: while probes fail, no
// caller is delayed. A successful probe closes it immediately unless the misses
// were used up: then only after a pause of 1/16 of the period, which doubles,
// up to the period, until a call is answered. A daemon that answers probes but
// no calls thus delays one call per period.
//
// Thread-safe.
class CircuitBreaker {
 public:
  using Clock = std::chrono::steady_clock;
  enum class State { kClosed, kOpen, kHalfOpen };
  // How long a failed call delayed its caller: not at all, or for the whole
  // deadline.
  enum class Delay { kNone, kDeadline };

  static constexpr int kMaxMisses = 3;
  static constexpr int kAnswersPerMiss = 20;

  explicit CircuitBreaker(Clock::duration period) : period_(period) {}

  // If true, the caller makes the call and reports its outcome by Succeeded or
  // Failed, or by Cancelled if the call was not made.
  bool Admit(Clock::time_point now);
  void Succeeded(Clock::time_point now);
  // Returns false if the breaker is still closed.
  bool Failed(Clock::time_point now, Delay delay);
  // The call was not made; the next one may be the trial.
  void Cancelled();

  // Returns true if the breaker is closed now.
  bool ProbeSucceeded(Clock::time_point now);
  void ProbeFailed(Clock::time_point now);

  State state(Clock::time_point now) const;

 private:
  State StateLocked(Clock::time_point now) const;
  void Open(Clock::time_point now);
  bool UseMiss(Clock::time_point now);

  const Clock::duration period_;
  mutable std::mutex mutex_;
  std::optional<Clock::time_point> open_until_;  // empty: closed
  std::optional<Clock::time_point> trial_since_;
  // In answered calls: kAnswersPerMiss of them make a miss.
  int credit_ = kMaxMisses * kAnswersPerMiss;
  int unanswered_openings_ = 0;  // for lack of credit, since the last answer
  Clock::time_point probes_close_from_{};
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_CIRCUIT_BREAKER_H_
