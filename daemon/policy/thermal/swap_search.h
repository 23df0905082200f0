// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_SWAP_SEARCH_H_
#define COOLSPAN_POLICY_THERMAL_SWAP_SEARCH_H_

#include <cstdint>
#include <span>

#include "core/budget.h"
#include "policy/thermal/group_placement.h"
#include "policy/thermal/inlet_constraints.h"

namespace coolspan {

// Local search by swaps of one chosen node for another while the peak falls,
// down to target_c. Each step takes the best swap among a limited number of
// candidates: chosen nodes that heat the warmest inlet most relative to their
// price, and the cheapest nodes that are not chosen. prices: by group. Adds a
// constraint for each new peak inlet. Returns the number of swaps.
std::uint64_t LowerPeakBySwaps(InletConstraints& constraints,
                               std::span<const double> prices, double target_c,
                               Budget& budget, GroupPlacement& placement);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_SWAP_SEARCH_H_
