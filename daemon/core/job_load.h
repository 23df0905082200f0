// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_JOB_LOAD_H_
#define COOLSPAN_CORE_JOB_LOAD_H_

#include <span>
#include <vector>

#include "core/availability.h"
#include "core/request.h"
#include "core/room_state.h"
#include "core/types.h"

namespace coolspan {

// What a job takes of its nodes: one unit of each, and the rest of the demand
// on the first that have it. Empty for whole nodes. free_units: by NodeId.
std::vector<Units> UnitsTaken(const Request& request,
                              std::span<const NodeId> nodes,
                              const UnitsByNode& free_units);

// What it would use of them. capacity: by NodeId, as free_units.
std::vector<RoomState::MoreLoad> LoadOf(const Request& request,
                                        const Room& room,
                                        std::span<const NodeId> nodes,
                                        const UnitsByNode& free_units,
                                        const std::vector<Units>& capacity);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_JOB_LOAD_H_
