// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_ROOM_STATES_H_
#define COOLSPAN_CORE_ROOM_STATES_H_

#include <memory>
#include <utility>

#include "core/availability.h"
#include "core/lease_pool.h"
#include "core/room_state.h"

namespace coolspan {

// Pool of room states for concurrent decisions. Reuses the state used last:
// updating it costs only what differs. Thread-safe.
class RoomStates {
 public:
  using Lease = LeasePool<RoomState>::Lease;

  explicit RoomStates(std::shared_ptr<const Room> room)
      : room_(std::move(room)) {}

  // loads: by NodeId; correction: as for RoomState::Correct. REQUIRES that the
  // pool outlives the lease.
  Lease Take(const LoadsByNode& loads,
             std::shared_ptr<const InletCorrection> correction) {
    Lease state = pool_.Take(
        [](LeasePool<RoomState>::Idle idle) {
          return idle.empty() ? 0 : idle.size() - 1;
        },
        [this] { return std::make_unique<RoomState>(room_); });
    state->Follow(loads);
    state->Correct(std::move(correction));
    return state;
  }

 private:
  const std::shared_ptr<const Room> room_;
  LeasePool<RoomState> pool_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_ROOM_STATES_H_
