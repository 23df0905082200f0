// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/circuit_breaker.h"

#include <algorithm>

namespace coolspan {

CircuitBreaker::State CircuitBreaker::StateLocked(Clock::time_point now) const {
  if (!open_until_) return State::kClosed;
  return now < *open_until_ ? State::kOpen : State::kHalfOpen;
}

CircuitBreaker::State CircuitBreaker::state(Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  return StateLocked(now);
}

void CircuitBreaker::Open(Clock::time_point now) {
  open_until_ = now + period_;
  trial_since_.reset();
}

bool CircuitBreaker::Admit(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  switch (StateLocked(now)) {
    case State::kClosed:
      return true;
    case State::kOpen:
      return false;
    case State::kHalfOpen:
      break;
  }
  // A trial without a reported outcome must not block further trials forever.
  if (trial_since_ && now < *trial_since_ + period_) return false;
  trial_since_ = now;
  return true;
}

void CircuitBreaker::Succeeded(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  credit_ = std::min(credit_ + 1, kMaxMisses * kAnswersPerMiss);
  unanswered_openings_ = 0;
  // A call begun while the breaker was closed does not close it again after
  // another call's failure has opened it. Only a trial does.
  if (StateLocked(now) == State::kOpen) return;
  open_until_.reset();
  trial_since_.reset();
}

// Returns whether another call may exceed its deadline.
bool CircuitBreaker::UseMiss(Clock::time_point now) {
  constexpr int kMaxDoublings = 4;
  credit_ = std::max(credit_ - kAnswersPerMiss, 0);
  if (credit_ >= kAnswersPerMiss) return true;
  const int halvings = kMaxDoublings - unanswered_openings_;
  probes_close_from_ = now + period_ / (1 << halvings);
  unanswered_openings_ = std::min(unanswered_openings_ + 1, kMaxDoublings);
  return false;
}

bool CircuitBreaker::Failed(Clock::time_point now, Delay delay) {
  const std::lock_guard lock(mutex_);
  const bool was_closed = StateLocked(now) == State::kClosed;
  if (delay == Delay::kDeadline && UseMiss(now) && was_closed) return false;
  Open(now);
  return true;
}

void CircuitBreaker::Cancelled() {
  const std::lock_guard lock(mutex_);
  trial_since_.reset();
}

bool CircuitBreaker::ProbeSucceeded(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (open_until_ && now < probes_close_from_) return false;
  open_until_.reset();
  trial_since_.reset();
  return true;
}

void CircuitBreaker::ProbeFailed(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  Open(now);
}

}  // namespace coolspan
