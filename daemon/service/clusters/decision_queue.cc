// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/decision_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace coolspan {
namespace {

// How often a waiting call is asked whether its client has left.
constexpr std::chrono::milliseconds kLeftPoll{100};

// Whether a call may be decided now. Error: it has ended.
absl::StatusOr<bool> Judge(const DecisionQueue::Call& call,
                           DecisionQueue::Clock::time_point now,
                           const DecisionQueue::IsReady& is_ready) {
  const auto ready = is_ready(*call.request);
  if (!ready.ok()) return ready.status();
  if (call.has_left && call.has_left()) {
    return absl::CancelledError("cancelled");
  }
  if (now < call.limits.answer_by) return *ready;
  // The client no longer waits: nodes must not be held for it.
  if (*ready) {
    return absl::UnavailableError(
        "deadline exceeded before the decision started");
  }
  return absl::UnavailableError(fmt::format(
      "after_sequence: events up to {} not received before the deadline",
      call.request->after_sequence()));
}

}  // namespace

std::optional<DecisionQueue::Call> DecisionQueue::TakeNext(
    Clock::time_point now, const IsReady& is_ready, std::vector<Ended>& ended) {
  for (auto call = calls_.begin(); call != calls_.end();) {
    const auto judged = Judge(*call, now, is_ready);
    if (judged.ok() && !*judged) {
      ++call;
      continue;
    }
    Call taken = std::move(*call);
    call = calls_.erase(call);
    if (judged.ok()) return taken;
    ended.push_back({std::move(taken.done), judged.status()});
  }
  return std::nullopt;
}

void DecisionQueue::TakeEnded(Clock::time_point now, const IsReady& is_ready,
                              std::vector<Ended>& ended) {
  std::erase_if(calls_, [&](Call& call) {
    const auto judged = Judge(call, now, is_ready);
    if (judged.ok()) return false;
    ended.push_back({std::move(call.done), judged.status()});
    return true;
  });
}

void DecisionQueue::EndAll(const absl::Status& status,
                           std::vector<Ended>& ended) {
  for (Call& call : calls_) ended.push_back({std::move(call.done), status});
  calls_.clear();
}

DecisionQueue::Clock::time_point DecisionQueue::NextLook(
    Clock::time_point now) const {
  Clock::time_point next = Clock::time_point::max();
  for (const Call& call : calls_) {
    next = std::min(next, call.limits.answer_by);
    if (call.has_left) next = std::min(next, now + kLeftPoll);
  }
  return next;
}

}  // namespace coolspan
