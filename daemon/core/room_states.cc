// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/room_states.h"

#include <utility>

namespace coolspan {

RoomStates::RoomStates(std::shared_ptr<const Room> room)
    : room_(std::move(room)) {}

RoomStates::Lease RoomStates::Take(
    const LoadsByNode& loads,
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

}  // namespace coolspan
