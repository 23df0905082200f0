// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_RECIRCULATION_SUMS_H_
#define COOLSPAN_POLICY_THERMAL_RECIRCULATION_SUMS_H_

#include <vector>

#include "core/room.h"

namespace coolspan {

// The column sums of D, s_j = sum_i D[i, j]: the rise of all inlets together,
// in K, for each watt in zone j. Reads all of D, so policies compute it once.
std::vector<double> RecirculationSums(const Room& room);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_RECIRCULATION_SUMS_H_
