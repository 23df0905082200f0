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
  // A trial without a reported outcome must not block further trials forever.
  if (trial_since_ && now < *trial_since_ + period_) return false;
  trial_since_ = now;
  return true;
}

void CircuitBreaker::Succeeded(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  // A call begun while the breaker was closed does not close it again after
  // another call's failure has opened it. Only a trial does.
  if (StateLocked(now) == State::kOpen) return;
  open_until_.reset();
  trial_since_.reset();
  answered_since_deadline_ = true;
}

void CircuitBreaker::NoteDeadline(Clock::time_point now) {
  constexpr std::size_t kDoublings = 5;
  while (!deadline_times_.empty() && deadline_times_.front() + period_ <= now) {
    deadline_times_.pop_front();
  }
  const std::size_t earlier = deadline_times_.size();
  deadline_times_.push_back(now);
  if (!answered_since_deadline_ || earlier > kDoublings) {
    probes_close_from_ = now + period_;
  } else if (earlier == 0) {
    probes_close_from_ = now;
  } else {
    probes_close_from_ = now + period_ / (1 << (kDoublings + 1 - earlier));
  }
  answered_since_deadline_ = false;
}

void CircuitBreaker::Failed(Clock::time_point now, Delay delay) {
  const std::lock_guard lock(mutex_);
  if (delay == Delay::kDeadline) NoteDeadline(now);
  Open(now);
}

void CircuitBreaker::Cancelled() {
  const std::lock_guard lock(mutex_);
  trial_since_.reset();
}

void CircuitBreaker::ProbeSucceeded(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (now < probes_close_from_) return;
  open_until_.reset();
  trial_since_.reset();
}

void CircuitBreaker::ProbeFailed(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  Open(now);
}

}  // namespace coolspan
