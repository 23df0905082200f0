// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/codec/event_queues.h"

#include <fmt/format.h>

#include <algorithm>

namespace coolspan {

absl::Status EventQueues::CheckClientId(std::string_view client_id) {
  constexpr std::size_t kMaxBytes = 255;
  if (client_id.size() <= kMaxBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("client_id: {} bytes (expected at most {})", client_id.size(),
                  kMaxBytes));
}

EventQueues::SyncState EventQueues::SyncStateOf(const std::string& client_id,
                                                std::uint64_t sequence) const {
  if (IsClosed(client_id)) return SyncState::kReplaced;
  const auto queue = applied_.find(client_id);
  return queue != applied_.end() && sequence < queue->second
             ? SyncState::kOutdated
             : SyncState::kCurrent;
}

void EventQueues::Restart(const std::string& client_id,
                          std::uint64_t sequence) {
  for (const auto& [other, applied] : applied_) {
    if (other != client_id) closed_.push_back(other);
  }
  while (closed_.size() > kMaxQueues) closed_.pop_front();
  applied_.clear();
  applied_[client_id] = sequence;
}

EventQueues::Place EventQueues::Find(const std::string& client_id,
                                     std::uint64_t sequence) const {
  if (IsClosed(client_id)) return Place::kClosed;
  const auto queue = applied_.find(client_id);
  const std::uint64_t applied = queue == applied_.end() ? 0 : queue->second;
  if (sequence <= applied) return Place::kSeen;
  if (sequence != applied + 1) return Place::kGap;
  const bool is_full = queue == applied_.end() && applied_.size() >= kMaxQueues;
  return is_full ? Place::kGap : Place::kNext;
}

void EventQueues::Advance(const std::string& client_id,
                          std::uint64_t sequence) {
  applied_[client_id] = sequence;
}

bool EventQueues::Reached(const std::string& client_id,
                          std::uint64_t sequence) const {
  const auto queue = applied_.find(client_id);
  return sequence == 0 ||
         (queue != applied_.end() && queue->second >= sequence);
}

bool EventQueues::IsClosed(const std::string& client_id) const {
  return std::find(closed_.begin(), closed_.end(), client_id) != closed_.end();
}

std::vector<QueueMark> EventQueues::Marks() const {
  std::vector<QueueMark> marks;
  for (const auto& [client_id, sequence] : applied_) {
    marks.push_back({client_id, sequence, false});
  }
  for (const std::string& client_id : closed_) {
    marks.push_back({client_id, 0, true});
  }
  return marks;
}

void EventQueues::Restore(const QueueMark& mark) {
  if (mark.closed) {
    closed_.push_back(mark.client_id);
  } else {
    applied_[mark.client_id] = mark.sequence;
  }
}

}  // namespace coolspan
