// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLIES_MACHINE_JSON_H_
#define COOLSPAN_REPLIES_MACHINE_JSON_H_

#include "core/machine.h"
#include "replies/json.h"

namespace coolspan {

// What a map of the machine is drawn from: names of its nodes (null if there
// are more than max_names), coordinates, groups of nodes (blocks, or groups of
// a dragonfly; null if it has none), zones of the room.
Json MachineJson(const Machine& machine, NodeCount max_names);

}  // namespace coolspan

#endif  // COOLSPAN_REPLIES_MACHINE_JSON_H_
