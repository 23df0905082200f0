// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_EVENT_QUEUE_H_
#define COOLSPAN_CLIENT_EVENT_QUEUE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace coolspan {

// The events since the last Sync that are not acknowledged yet, in order.
// Sequence numbers start at 1 after each Restart. One thread sends Front()
// until it is acknowledged, so that events keep their order when calls fail. If
// more than `max_events` are waiting, or more than `max_bytes` in total, the
// queue drops them all and accepts no events until Restart, which the next Sync
// calls.
//
// Thread-safe; blocks only for its own short lock.
template <typename Event>
class EventQueue {
 public:
  struct Entry {
    std::uint64_t generation;  // of the last Restart before it
    std::uint64_t sequence;
    Event event;
  };
  enum class Pushed { kQueued, kOverflow, kNotSynced };

  EventQueue(std::size_t max_events, std::size_t max_bytes)
      : max_events_(max_events), max_bytes_(max_bytes) {}

  // Drops all events; the next event has sequence 1. Returns the new
  // generation, which counts from 1.
  std::uint64_t Restart() {
    const std::lock_guard lock(mutex_);
    Clear();
    last_ = 0;
    accepting_ = true;
    return ++generation_;
  }

  // bytes: the size of the event. kOverflow: the queue is full with this event;
  // kNotSynced: dropped, since there was an overflow, or no Restart yet.
  Pushed Push(Event event, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (!accepting_) return Pushed::kNotSynced;
    if (waiting_.size() >= max_events_ || bytes > max_bytes_ - bytes_) {
      Clear();
      accepting_ = false;
      return Pushed::kOverflow;
    }
    bytes_ += bytes;
    waiting_.push_back({std::move(event), bytes});
    ++last_;
    return Pushed::kQueued;
  }

  // A copy of the oldest unacknowledged event.
  std::optional<Entry> Front() const {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) return std::nullopt;
    return Entry{generation_, last_ - waiting_.size() + 1,
                 waiting_.front().event};
  }

  // The oldest unacknowledged events with sequence numbers above `after`, in
  // order: at most `max_count`, with at most `max_bytes` in total.
  std::vector<Entry> Oldest(std::uint64_t after, std::size_t max_count,
                            std::size_t max_bytes) const {
    const std::lock_guard lock(mutex_);
    std::vector<Entry> entries;
    const std::uint64_t acknowledged = last_ - waiting_.size();
    std::size_t bytes = 0;
    for (std::uint64_t sequence = std::max(after, acknowledged) + 1;
         sequence <= last_ && entries.size() < max_count; ++sequence) {
      const Waiter& waiter = waiting_[sequence - acknowledged - 1];
      bytes += waiter.bytes;
      if (bytes > max_bytes) break;
      entries.push_back({generation_, sequence, waiter.event});
    }
    return entries;
  }

  // Calls visit(sequence, event) for the unacknowledged events until it returns
  // false.
  // REQUIRES that visit does not call the queue.
  template <typename Visit>
  void VisitNewestFirst(const Visit& visit) const {
    const std::lock_guard lock(mutex_);
    std::uint64_t sequence = last_;
    for (auto waiter = waiting_.rbegin(); waiter != waiting_.rend(); ++waiter) {
      if (!visit(sequence--, waiter->event)) return;
    }
  }

  // Removes Front() if it is this event; otherwise (an answer from before a
  // Restart, or a repeated one) returns false and changes nothing.
  bool Acknowledge(std::uint64_t generation, std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty() || generation != generation_ ||
        sequence != last_ - waiting_.size() + 1) {
      return false;
    }
    bytes_ -= waiting_.front().bytes;
    waiting_.pop_front();
    return true;
  }

  // Sequence number of the last event since Restart; 0: none.
  std::uint64_t LastSequence() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }
  std::uint64_t Generation() const {
    const std::lock_guard lock(mutex_);
    return generation_;
  }
  std::size_t Waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }

 private:
  struct Waiter {
    Event event;
    std::size_t bytes;
  };

  // REQUIRES mutex_.
  void Clear() {
    waiting_.clear();
    bytes_ = 0;
  }

  const std::size_t max_events_;
  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  std::deque<Waiter> waiting_;
  std::size_t bytes_ = 0;  // of waiting_; at most max_bytes_
  std::uint64_t generation_ = 0;
  std::uint64_t last_ = 0;
  bool accepting_ = false;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_EVENT_QUEUE_H_
