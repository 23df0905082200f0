// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_MACHINE_SNAPSHOT_H_
#define COOLSPAN_CORE_MACHINE_SNAPSHOT_H_

#include <cstdint>
#include <memory>

#include "core/availability.h"
#include "core/copy_on_write.h"
#include "core/machine.h"
#include "core/room_states.h"
#include "core/types.h"

namespace coolspan {

// A machine at one moment: who is free, what jobs use, what telemetry has
// taught. Immutable: the allocator goes on with a version of its own, which
// shares what no change has touched. Taken under the allocator's lock, in
// constant time and memory; read, copied and destroyed on any thread.
struct MachineSnapshot {
  std::shared_ptr<const Machine> machine;
  CopyOnWrite<Availability> availability;
  // Of a machine with a room: where its steady temperatures are computed.
  std::shared_ptr<RoomStates> room_states;
  std::shared_ptr<const InletCorrection> correction;
  std::uint64_t ledger_version = 0;
  TimeMs taken_ms = 0;  // the caller's clock
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_MACHINE_SNAPSHOT_H_
