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
// more than `capacity` events are waiting, the queue drops them all and accepts
// no events until Restart, which the next Sync calls.
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

  explicit EventQueue(std::size_t capacity) : capacity_(capacity) {}

  // Drops all events; the next event has sequence 1. Returns the new
  // generation, which counts from 1.
  std::uint64_t Restart() {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
    last_ = 0;
    accepting_ = true;
    return ++generation_;
  }

  // kOverflow: this event exceeded the capacity; kNotSynced: dropped, since
  // there was an overflow, or no Restart yet.
  Pushed Push(Event event) {
    const std::lock_guard lock(mutex_);
    if (!accepting_) return Pushed::kNotSynced;
    if (waiting_.size() >= capacity_) {
      waiting_.clear();
      accepting_ = false;
      return Pushed::kOverflow;
    }
    waiting_.push_back(std::move(event));
    ++last_;
    return Pushed::kQueued;
  }

  // A copy of the oldest unacknowledged event.
  std::optional<Entry> Front() const {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) return std::nullopt;
    return Entry{generation_, last_ - waiting_.size() + 1, waiting_.front()};
  }

  // The oldest unacknowledged events with sequence numbers above `after`, in
  // order: at most `max_count`, with at most `max_bytes` in total, an event
  // counting as `bytes_of(event)`.
  template <typename BytesOf>
  std::vector<Entry> Oldest(std::uint64_t after, std::size_t max_count,
                            std::size_t max_bytes,
                            const BytesOf& bytes_of) const {
    const std::lock_guard lock(mutex_);
    std::vector<Entry> entries;
    const std::uint64_t acknowledged = last_ - waiting_.size();
    std::size_t bytes = 0;
    for (std::uint64_t sequence = std::max(after, acknowledged) + 1;
         sequence <= last_ && entries.size() < max_count; ++sequence) {
      const Event& event = waiting_[sequence - acknowledged - 1];
      bytes += bytes_of(event);
      if (bytes > max_bytes) break;
      entries.push_back({generation_, sequence, event});
    }
    return entries;
  }

  // Removes Front() if it is this event; otherwise (an answer from before a
  // Restart, or a repeated one) returns false and changes nothing.
  bool Acknowledge(std::uint64_t generation, std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty() || generation != generation_ ||
        sequence != last_ - waiting_.size() + 1) {
      return false;
    }
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
  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::deque<Event> waiting_;
  std::uint64_t generation_ = 0;
  std::uint64_t last_ = 0;
  bool accepting_ = false;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_EVENT_QUEUE_H_
