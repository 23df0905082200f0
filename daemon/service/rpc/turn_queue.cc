// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/turn_queue.h"

#include <fmt/format.h>

#include <algorithm>

namespace coolspan {

void TurnQueue::CallNext() {
  if (waiting_.empty()) {
    ++free_;
    return;
  }
  Waiter& next = *waiting_.front();
  waiting_.pop_front();
  next.has_turn = true;
  // Under the mutex: the waiter lives on the stack of a thread that waits.
  next.called.notify_one();
}

void TurnQueue::Release() {
  const std::lock_guard lock(mutex_);
  CallNext();
}

absl::StatusOr<TurnQueue::Turn> TurnQueue::Wait(
    Clock::time_point until, const std::function<bool()>& has_left) {
  std::unique_lock lock(mutex_);
  if (free_ > 0) {
    --free_;
    return Turn(*this);
  }
  if (waiting_.size() >= limits_.waiting) {
    return absl::ResourceExhaustedError(fmt::format(
        "{} calls wait for a turn (expected fewer)", waiting_.size()));
  }
  Waiter waiter;
  waiting_.push_back(&waiter);
  while (!waiter.has_turn && Clock::now() < until) {
    if (has_left && has_left()) break;
    waiter.called.wait_until(lock, std::min(until, Clock::now() + kLeftPoll));
  }
  if (waiter.has_turn) return Turn(*this);
  waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &waiter));
  return absl::UnavailableError(
      "deadline exceeded while other calls had their turns");
}

std::size_t TurnQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

void TurnQueue::Turn::PassOn() {
  const Clock::time_point begin = Clock::now();
  if (begin - since_ < queue_->limits_.slice) return;
  std::unique_lock lock(queue_->mutex_);
  if (!queue_->waiting_.empty()) {
    Waiter waiter;
    queue_->waiting_.push_back(&waiter);
    queue_->CallNext();
    waiter.called.wait(lock, [&waiter] { return waiter.has_turn; });
  }
  since_ = Clock::now();
  waited_ += since_ - begin;
}

}  // namespace coolspan
