// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_VICTOR_RANKS_H_
#define COOLSPAN_POLICY_THERMAL_VICTOR_RANKS_H_

#include <vector>

#include "core/room.h"

namespace coolspan {

// The victor rank of each node, by NodeId: the heat that it recirculates,
// weighted by how much the inlets that get it matter (spatio-temporal-scint,
// equation 11):
//
//   r_i = sum_j v_j d_ij p_i^max,  v_j = sum_i d_ij p_i^max
//
// Equation 11 counts d_ij as heat from i to j. D here is that of equation 4,
// with the receiver as row, so v = D p^max and r_i = p_i^max (D^T v)_i. Ranks
// depend on the room only.
std::vector<double> VictorRanks(const Room& room);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_VICTOR_RANKS_H_
