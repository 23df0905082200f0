// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_ROOM_STATES_H_
#define COOLSPAN_CORE_ROOM_STATES_H_

#include <memory>
#include <mutex>
#include <vector>

#include "core/availability.h"
#include "core/room_state.h"

namespace coolspan {

// Pool of room states for concurrent decisions. Reuses the state used last:
// updating it costs only what differs. Thread-safe.
class RoomStates {
 public:
  explicit RoomStates(std::shared_ptr<const Room> room);

  // A state for one thread, returned to the pool when it goes out of scope.
  class Lease {
   public:
    // loads: by NodeId; correction: as for RoomState::Correct.
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
  std::vector<std::unique_ptr<RoomState>> idle_;  // last used last
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_ROOM_STATES_H_
