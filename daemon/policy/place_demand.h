// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_PLACE_DEMAND_H_
#define COOLSPAN_POLICY_PLACE_DEMAND_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/policy.h"

namespace coolspan {

// A request that is known to fit: choose `nodes` of the available nodes,
// including all required ones.
struct Choice {
  const NodeSet& available;
  const NodeSet& required;  // a subset of available; may have size 0
  NodeCount required_count;
  NodeCount nodes;  // 1 to |available|, at least required_count
  std::uint64_t seed;
};
// Returns choice.nodes nodes, in any order.
using ChooseNodes =
    absl::FunctionRef<std::vector<NodeId>(const Choice& choice, Trace& trace)>;

// The part of Policy::Place that all policies share: checks the request and
// converts a demand in units to a number of nodes. nullopt: the request does
// not fit.
//
// For a demand in units, `choose` is called with the minimum number of nodes
// that can hold the units. If the chosen ones have too few, the choice is
// limited to nodes with enough units each, or if these are too few, to those
// with the most units, which succeeds whenever the demand can be met.
std::optional<Allocation> PlaceDemand(const MachineView& view,
                                      const Request& request, Trace& trace,
                                      ChooseNodes choose);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_PLACE_DEMAND_H_
