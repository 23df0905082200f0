// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_LARGE_ROOM_H_
#define COOLSPAN_POLICY_STREAM_LARGE_ROOM_H_

#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/budget.h"
#include "core/machine.h"
#include "core/policy.h"
#include "core/request.h"
#include "policy/place_demand.h"
#include "policy/stream/cooling_curve.h"
#include "policy/thermal/thermal_policy.h"

namespace coolspan {

// Chooses nodes in a room that is too large for JointSearch: of some
// candidates, the one of least
//
//   h * mean pairwise distance + heat * cooling power
//   h = V n s / mean of the most compact candidate
//
// with V, n and s as in HopValue. Candidates are the most compact nodes, those
// of mpit, those of hybrid, and the most compact ones among the half and the
// quarter of the free nodes that add least heat.
class LargeRoom {
 public:
  // REQUIRES a machine with a room, which must outlive this.
  LargeRoom(const Machine& machine, const HeatWeights& heat);

  // The most compact nodes of a choice.
  using Compact =
      absl::FunctionRef<std::vector<NodeId>(const Choice& choice, Budget&)>;
  // REQUIRES a view with a room, and more available nodes than wanted.
  std::vector<NodeId> Choose(const MachineView& view, const Request& request,
                             const Choice& choice, Compact compact,
                             Budget& budget, Trace& trace) const;

 private:
  class Decision;

  const CoolingCurve curve_;
  const HeatWeights heat_;
  const std::vector<double> column_sums_;  // of D, by zone
  const std::unique_ptr<const ThermalPolicy> hybrid_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_LARGE_ROOM_H_
