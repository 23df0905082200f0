// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_JOINT_THERMAL_CENTRE_SCORE_H_
#define COOLSPAN_POLICY_JOINT_THERMAL_CENTRE_SCORE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "core/budget.h"
#include "policy/centre/centre_search.h"
#include "policy/thermal/inlet_constraints.h"

namespace coolspan {

// Where the nodes around one of several centres make the least peak inlet.
struct ThermalCentre {
  VertexId centre = 0;
  double peak_c = 0;
  std::uint64_t pairwise_total = 0;
  std::vector<NodeId> nodes;    // required ones left out
  std::uint64_t collected = 0;  // centres
  std::uint64_t evaluated = 0;  // of these, whose inlets were all worked out
};

// What is collected around a centre.
struct CollectedNodes {
  std::vector<NodeId> nodes;  // required ones left out
  std::uint64_t pairwise_total = 0;
};
// For one centre after another; one a thread.
using CollectAround = absl::AnyInvocable<CollectedNodes(VertexId)>;

// Collects around each centre and takes the least peak inlet, then the least
// total pairwise distance, then the smallest centre; peaks are rounded to 1 uK.
// A placement's peak is at least that of some inlets, so only those that may be
// the least are worked out in full. When the budget ends, the best by what is
// known; nothing where it ends before anything is. work_per_centre: budget each
// time. Adds constraints.
std::optional<ThermalCentre> FindThermalCentre(
    InletConstraints& constraints, std::span<const VertexId> centres,
    absl::FunctionRef<CollectAround()> collect_around,
    std::uint64_t work_per_centre, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_JOINT_THERMAL_CENTRE_SCORE_H_
