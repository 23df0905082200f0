// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_HEAT_JOB_LOAD_H_
#define COOLSPAN_CORE_HEAT_JOB_LOAD_H_

#include <span>
#include <vector>

#include "core/availability.h"
#include "core/request.h"
#include "core/room_state.h"
#include "core/types.h"

namespace coolspan {

// Units of the ledger that a job takes of each of its nodes.
struct UnitsOfJob {
  std::vector<Units> units;  // in the order of the nodes; empty: whole nodes
  bool suffice = true;       // for the demand
};

// One unit of the demand on each node, and the rest of it on the first nodes
// with usable units. free_units: by NodeId.
UnitsOfJob UnitsTaken(const Request& request, std::span<const NodeId> nodes,
                      const UnitsByNode& free_units);

// The load that the job adds to these nodes: with u the used fraction of a node
// and s the communication share, compute u * (1 - s), communicate u * s.
// capacity: by NodeId, as free_units.
std::vector<RoomState::MoreLoad> LoadOf(const Request& request,
                                        const Room& room,
                                        std::span<const NodeId> nodes,
                                        const UnitsByNode& free_units,
                                        const std::vector<Units>& capacity);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_HEAT_JOB_LOAD_H_
