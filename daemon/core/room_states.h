// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_ROOM_STATES_H_
#define COOLSPAN_CORE_ROOM_STATES_H_

#include <memory>
#include <mutex>
#include <vector>

#include "core/availability.h"
#include "core/room_state.h"

namespace coolspan {

// Room states for decisions that are made side by side. One that was used last
// is brought up to date at the cost of what differs. Thread-safe.
class RoomStates {
 public:
  explicit RoomStates(std::shared_ptr<const Room> room);

  // A state for one thread, returned to the pool when it goes out of scope.
  class Lease {
   public:
    // REQUIRES loads of each node; correction as RoomState::Correct's.
    Lease(RoomStates& pool, const LoadsByNode& loads,
          std::shared_ptr<const InletCorrection> correction);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    RoomState& operator*() const { return *state_; }
    RoomState* operator->() const { return state_.get(); }

   private:
    RoomStates& pool_;
    std::unique_ptr<RoomState> state_;
  };

 private:
  static constexpr std::size_t kMaxIdle = 4;

  std::unique_ptr<RoomState> Take();
  void Return(std::unique_ptr<RoomState> state);

  const std::shared_ptr<const Room> room_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<RoomState>> idle_;  // last used at the end
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_ROOM_STATES_H_
