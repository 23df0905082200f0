// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_MPIT_NODES_H_
#define COOLSPAN_POLICY_THERMAL_MPIT_NODES_H_

#include <span>
#include <vector>

#include "core/budget.h"
#include "core/room.h"
#include "policy/place_demand.h"

namespace coolspan {

// The nodes of mpit, as a candidate of other policies. share: of the remaining
// budget, for the search. column_sums: of D, by zone.
std::vector<NodeId> MpitNodes(const RoomView& room, const Choice& choice,
                              double communication_share,
                              std::span<const double> column_sums, double share,
                              Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_MPIT_NODES_H_
