// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_MACHINE_SNAPSHOT_H_
#define COOLSPAN_CORE_MACHINE_SNAPSHOT_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "core/availability.h"
#include "core/copy_on_write.h"
#include "core/machine.h"
#include "core/recent_starts.h"
#include "core/room_states.h"
#include "core/types.h"

namespace coolspan {

// The state of a machine at one time: free nodes, loads, inlet correction,
// recent starts.
// Immutable: later changes of the allocator copy only what they touch and share
// the rest. Taken under the allocator's lock, in constant time and memory;
// read, copied and destroyed on any thread.
struct MachineSnapshot {
  std::shared_ptr<const Machine> machine;
  CopyOnWrite<Availability> availability;
  // Pool for computing steady temperatures; nullptr without a room.
  std::shared_ptr<RoomStates> room_states;
  std::shared_ptr<const InletCorrection> correction;
  std::uint64_t ledger_version = 0;
  TimeMs taken_ms = 0;  // the caller's clock
  CopyOnWrite<RecentStarts> recent_starts{std::in_place};
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_MACHINE_SNAPSHOT_H_
