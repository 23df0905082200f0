// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_DECISION_TIERS_H_
#define COOLSPAN_CORE_DECISION_TIERS_H_

#include <cstdint>
#include <span>

#include "core/availability.h"
#include "core/node_set.h"
#include "core/request.h"

namespace coolspan {

// The preference of the resource manager for a node: lower tiers first.
using Tier = std::uint32_t;

// A request that is limited to the preferred nodes.
struct TieredRequest {
  NodeSet available;
  Request request;  // requires the lower tiers
};

// Limits a request to the lowest tiers with which it fits: the available nodes
// are those of the first tiers that can meet the demand together, and all nodes
// of the tiers before the last one are required, so that a tier is used up
// before the next is opened. Required nodes count first, whatever their tier.
// If the request fits nowhere, the available nodes and the request are returned
// as they are.
//
// A demand in units may not be met with all nodes of the lower tiers, since it
// has at most max_nodes, and some nodes have few units: then only the first of
// the lower tiers are required with which it is met, perhaps none.
//
// tiers: by NodeId, of available.size() entries. O(n log n log t) in the
// available nodes and the tiers.
TieredRequest LimitToTiers(const Request& request, const NodeSet& available,
                           std::span<const Tier> tiers,
                           const UnitsByNode& free_units);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_DECISION_TIERS_H_
