// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/circuit_breaker.h"

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
  // A trial whose outcome was never told must not keep the breaker shut
  // forever.
  if (trial_since_ && now < *trial_since_ + period_) return false;
  trial_since_ = now;
  return true;
}

void CircuitBreaker::Succeeded(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  // Other callers' calls, begun while it was closed, prove nothing once a
  // failure has opened it; only the trial's own success does.
  if (StateLocked(now) == State::kOpen) return;
  open_until_.reset();
  trial_since_.reset();
  probes_close_ = true;
}

void CircuitBreaker::Failed(Clock::time_point now, Cost cost) {
  const std::lock_guard lock(mutex_);
  if (cost == Cost::kDeadline) {
    probes_close_ = !deadline_paid_ || now >= *deadline_paid_ + period_;
    deadline_paid_ = now;
  }
  Open(now);
}

void CircuitBreaker::ProbeSucceeded(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (!probes_close_ && now < *deadline_paid_ + period_) return;
  open_until_.reset();
  trial_since_.reset();
}

void CircuitBreaker::ProbeFailed(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  Open(now);
}

}  // namespace coolspan
