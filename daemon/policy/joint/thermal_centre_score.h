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

// The centre with the lowest peak inlet.
struct ThermalCentre {
  VertexId centre = 0;
  double peak_c = 0;
  std::uint64_t pairwise_total = 0;
  std::vector<NodeId> nodes;    // without the required nodes
  std::uint64_t collected = 0;  // centres
  std::uint64_t evaluated = 0;  // centres with all inlets computed
};

// The nodes collected around a centre.
struct CollectedNodes {
  std::vector<NodeId> nodes;  // without the required nodes
  std::uint64_t pairwise_total = 0;
};
// Collects around one centre per call. Used by one thread each.
using CollectAround = absl::AnyInvocable<CollectedNodes(VertexId)>;

// Collects nodes around each centre and returns the one with the lowest peak
// inlet (rounded to 1 uK), then the lowest total pairwise distance, then the
// smallest centre (joint-allocation-sst, section 4.3). The inlets of a few
// constraints bound each peak from below; all inlets are computed only for the
// centres that can be the best. When the budget ends, returns the best by these
// bounds, or nullopt if no centre was collected. work_per_centre: budget units.
// Adds constraints.
std::optional<ThermalCentre> FindThermalCentre(
    InletConstraints& constraints, std::span<const VertexId> centres,
    absl::FunctionRef<CollectAround()> collect_around,
    std::uint64_t work_per_centre, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_JOINT_THERMAL_CENTRE_SCORE_H_
