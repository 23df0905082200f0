// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_RECIRCULATION_SUMS_H_
#define COOLSPAN_POLICY_THERMAL_RECIRCULATION_SUMS_H_

#include <vector>

#include "core/room.h"

namespace coolspan {

// K in all inlets together for each watt of a zone: the column sums of D, by
// zone. Costs all of D, so policies keep them.
std::vector<double> RecirculationSums(const Room& room);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_RECIRCULATION_SUMS_H_
