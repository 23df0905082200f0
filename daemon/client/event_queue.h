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

// What happened since the last Sync and is not acknowledged yet, in order.
// Sequence numbers start at 1 after each Restart. One thread sends: it takes
// Front(), and Acknowledges it or tries the same one again, so order survives
// failures. More than `capacity` waiting events are a lost cause: the queue
// empties itself and takes nothing until the Restart that a Sync brings.
//
// Thread-safe; never waits for anything but its own short lock.
template <typename Event>
class EventQueue {
 public:
  struct Entry {
    std::uint64_t generation;  // of the Restart that it came after
    std::uint64_t sequence;
    Event event;
  };
  enum class Pushed { kQueued, kOverflow, kNotSynced };

  explicit EventQueue(std::size_t capacity) : capacity_(capacity) {}

  // Forgets all events; the first one after it has sequence 1. Returns the new
  // generation, from 1.
  std::uint64_t Restart() {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
    last_ = 0;
    taking_ = true;
    return ++generation_;
  }

  // kOverflow once, when this event was one too many; kNotSynced until Restart.
  Pushed Push(Event event) {
    const std::lock_guard lock(mutex_);
    if (!taking_) return Pushed::kNotSynced;
    if (waiting_.size() >= capacity_) {
      waiting_.clear();
      taking_ = false;
      return Pushed::kOverflow;
    }
    waiting_.push_back(std::move(event));
    ++last_;
    return Pushed::kQueued;
  }

  // A copy of the oldest event not acknowledged.
  std::optional<Entry> Front() const {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) return std::nullopt;
    return Entry{generation_, last_ - waiting_.size() + 1, waiting_.front()};
  }

  // The oldest events that are not acknowledged and come after `after`, with
  // their numbers: at most `most`, and at most `most_bytes` in all as
  // `bytes_of(event)` counts them.
  template <typename BytesOf>
  std::vector<Entry> Oldest(std::uint64_t after, std::size_t most,
                            std::size_t max_bytes,
                            const BytesOf& bytes_of) const {
    const std::lock_guard lock(mutex_);
    std::vector<Entry> entries;
    const std::uint64_t acknowledged = last_ - waiting_.size();
    std::size_t bytes = 0;
    for (std::uint64_t sequence = std::max(after, acknowledged) + 1;
         sequence <= last_ && entries.size() < most; ++sequence) {
      const Event& event = waiting_[sequence - acknowledged - 1];
      bytes += bytes_of(event);
      if (bytes > max_bytes) break;
      entries.push_back({generation_, sequence, event});
    }
    return entries;
  }

  // False, and nothing changes, unless this is Front() still: the answer to an
  // event from before a Restart says nothing about those after it.
  bool Acknowledge(std::uint64_t generation, std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty() || generation != generation_ ||
        sequence != last_ - waiting_.size() + 1) {
      return false;
    }
    waiting_.pop_front();
    return true;
  }

  // Of the last event queued since Restart; 0: none.
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
  bool taking_ = false;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_EVENT_QUEUE_H_
