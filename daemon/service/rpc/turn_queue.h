// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_TURN_QUEUE_H_
#define COOLSPAN_SERVICE_RPC_TURN_QUEUE_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

#include "absl/status/statusor.h"

namespace coolspan {

// Lets a few callers work at a time, the others in order of arrival. A long
// work passes its turn on from time to time, so that all advance. Thread-safe.
class TurnQueue {
 public:
  using Clock = std::chrono::steady_clock;

  // A turn ends with the object. Movable, not thread-safe.
  class Turn {
   public:
    Turn(Turn&& other) noexcept
        : queue_(std::exchange(other.queue_, nullptr)),
          since_(other.since_),
          waited_(other.waited_) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (queue_ != nullptr) queue_->Release();
    }
    // Passes the turn on, if it is older than the slice and others wait, and
    // returns when it has come back. Call it between portions of work, without
    // locks.
    void PassOn();
    // Total time in PassOn that others had the turn.
    Clock::duration waited() const { return waited_; }

   private:
    friend class TurnQueue;
    explicit Turn(TurnQueue& queue) : queue_(&queue), since_(Clock::now()) {}
    TurnQueue* queue_;
    Clock::time_point since_;
    Clock::duration waited_{0};
  };

  struct Limits {
    std::size_t at_a_time;
    std::size_t waiting;
    Clock::duration slice;
  };
  explicit TurnQueue(Limits limits)
      : limits_(limits), free_(limits.at_a_time) {}

  // Waits for a turn. has_left: true if the caller needs it no longer. Errors:
  // UNAVAILABLE (no turn by `until`, or the caller has left),
  // RESOURCE_EXHAUSTED (too many wait).
  absl::StatusOr<Turn> Wait(Clock::time_point until,
                            const std::function<bool()>& has_left = nullptr);
  // Callers without a turn.
  std::size_t waiting() const;

 private:
  struct Waiter {
    std::condition_variable called;
    bool has_turn = false;
  };

  // How often a waiting caller is asked whether it has left.
  static constexpr std::chrono::milliseconds kLeftPoll{100};

  void Release();
  // REQUIRES mutex_.
  void CallNext();

  mutable std::mutex mutex_;
  const Limits limits_;
  std::size_t free_;
  std::deque<Waiter*> waiting_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_TURN_QUEUE_H_
