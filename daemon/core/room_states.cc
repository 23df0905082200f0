// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/room_states.h"

#include <utility>

namespace coolspan {

RoomStates::RoomStates(std::shared_ptr<const Room> room)
    : room_(std::move(room)) {}

RoomStates::Lease::Lease(RoomStates& pool, const LoadsByNode& loads,
                         std::shared_ptr<const InletCorrection> correction)
    : pool_(pool), state_(pool.Take()) {
  state_->Follow(loads);
  state_->Correct(std::move(correction));
}

RoomStates::Lease::~Lease() { pool_.Return(std::move(state_)); }

std::unique_ptr<RoomState> RoomStates::Take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<RoomState> state = std::move(idle_.back());
      idle_.pop_back();
      return state;
    }
  }
  return std::make_unique<RoomState>(room_);
}

void RoomStates::Return(std::unique_ptr<RoomState> state) {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kMaxIdle) idle_.push_back(std::move(state));
}

}  // namespace coolspan
