// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_PLACE_DEMAND_H_
#define COOLSPAN_POLICY_PLACE_DEMAND_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/policy.h"

namespace coolspan {

// A request once it is known to fit: so many of the available nodes, all the
// required ones among them. It has an answer, so a chooser always finds one.
struct Choice {
  const NodeSet& available;
  const NodeSet& required;  // a subset of available; size 0: none
  NodeCount required_count;
  NodeCount nodes;  // 1 to |available|, at least required_count
  std::uint64_t seed;
};
// Answers choice.nodes nodes, in any order.
using ChooseNodes =
    absl::FunctionRef<std::vector<NodeId>(const Choice& choice, Trace& trace)>;

// The part of Policy::Place that all policies share: checks, required nodes,
// and demands in units, which are made into numbers of nodes.
//
// For units the chooser is asked for the least number of nodes that could do
// and for more while its nodes have too few units. Where even max_nodes of its
// nodes have too few, it chooses among the nodes with most units, which has an
// answer if the demand has one. Nodes that are not needed are given up, those
// with fewest units first.
std::optional<Allocation> PlaceDemand(const MachineView& view,
                                      const Request& request, Trace& trace,
                                      ChooseNodes choose);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_PLACE_DEMAND_H_
