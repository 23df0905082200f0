// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_MACHINE_MACHINE_ROOM_H_
#define COOLSPAN_CONFIG_MACHINE_MACHINE_ROOM_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "config/machine/machine_options.h"
#include "config/machine/room_remarks.h"
#include "core/machine.h"
#include "core/room.h"

namespace coolspan {

// The room that the options thermal and node_types describe; nullptr without
// thermal, but node types are validated in any case. machine: the same machine
// without a room. Appends to remarks.
// Errors: "file:line:column: ...": an error in the matrix file; a number of
// rows other than the number of zones; a node without a type; D not physically
// valid (thermal/recirculation.h).
absl::StatusOr<std::shared_ptr<const Room>> MakeRoom(
    const MachineDescription& description, const Machine& machine,
    const std::string& file, RoomRemarks& remarks);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_MACHINE_MACHINE_ROOM_H_
