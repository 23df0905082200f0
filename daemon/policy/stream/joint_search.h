// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_JOINT_SEARCH_H_
#define COOLSPAN_POLICY_STREAM_JOINT_SEARCH_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/budget.h"
#include "core/machine.h"
#include "core/policy.h"
#include "core/request.h"
#include "policy/place_demand.h"
#include "policy/stream/cooling_curve.h"
#include "policy/stream/node_pairs.h"
#include "policy/stream/stream_costs.h"
#include "policy/thermal/thermal_policy.h"

namespace coolspan {

// Chooses nodes by distance, perimeter and cooling power (JointSet), and by
// what happens in possible futures (Lookahead). Candidates are the nodes of
// least distance and perimeter, those of mpit and of hybrid, and sets grown
// from centres at several values of a hop.
class JointSearch {
 public:
  // REQUIRES a machine with a room and at most NodePairs::kMaxNodes nodes,
  // which must outlive this.
  JointSearch(const Machine& machine, const Neighbours& neighbours,
              const StreamWeights& weights, const HeatWeights& heat);

  // compact: the nodes of least distance and perimeter, the first candidate.
  // REQUIRES a view with a room, and more available nodes than wanted.
  std::vector<NodeId> Choose(const MachineView& view, const Request& request,
                             const Choice& choice, double perimeter_weight,
                             std::vector<NodeId> compact, Budget& budget,
                             Trace& trace) const;

 private:
  class Decision;

  NodePairs pairs_;
  StreamWeights weights_;
  HeatWeights heat_;
  std::vector<double> column_sums_;    // of D, by zone
  std::vector<double> compact_means_;  // NodePairs::CompactMeans
  std::unique_ptr<const ThermalPolicy> hybrid_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_JOINT_SEARCH_H_
