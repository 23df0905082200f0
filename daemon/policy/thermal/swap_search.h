// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_SWAP_SEARCH_H_
#define COOLSPAN_POLICY_THERMAL_SWAP_SEARCH_H_

#include <cstdint>
#include <span>

#include "core/budget.h"
#include "policy/thermal/group_placement.h"
#include "policy/thermal/inlet_constraints.h"

namespace coolspan {

// Swaps one node for another while that lowers the peak, down to target_c: each
// time the swap that lowers it most, of those between the nodes that warm the
// warmest inlet most, for their price, and the cheapest that are out. Adds the
// constraints it meets. Answers how many swaps there were.
std::uint64_t LowerPeakBySwaps(InletConstraints& constraints,
                               std::span<const double> prices, double target_c,
                               Budget& budget, GroupPlacement& placement);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_SWAP_SEARCH_H_
