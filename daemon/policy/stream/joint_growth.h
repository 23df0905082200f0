// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_JOINT_GROWTH_H_
#define COOLSPAN_POLICY_STREAM_JOINT_GROWTH_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/types.h"
#include "policy/stream/node_pairs.h"
#include "policy/stream/room_model.h"
#include "policy/stream/stream_costs.h"

namespace coolspan {

// A job to place, with what a hop is worth: see JointSet.
struct JointJob {
  NodeCount nodes = 0;
  TimeMs run_ms = 0;         // 0: unknown
  double watts_per_hop = 0;  // of the mean pairwise distance
  double perimeter_weight = 0;
};

// The state of the room and the machine, now or in a possible future.
struct JointState {
  // By NodeId: free for the job, and when a busy node's job is expected to end.
  std::vector<std::uint8_t> is_free;
  std::vector<TimeMs> end_ms;
  TimeMs now_ms = 0;
  std::vector<float> inlet_c;  // by row of the RoomModel
  double it_w = 0;
};

// A set of nodes and its cost in watts: what its distance and perimeter are
// worth, and the cooling power of the room with the job,
//
//   watts_per_hop * (mean pairwise distance + lambda D) + heat * C(P, T_peak)
//
// with lambda and D as in StreamWeights.
struct JointSet {
  std::vector<NodeId> nodes;  // ascending
  double cost_w = std::numeric_limits<double>::infinity();
};

// Grows sets node by node, each time by the node of least cost; ties: the
// smallest node. Not thread-safe: one per thread.
class JointGrowth {
 public:
  // heat: weight of the cooling power. The arguments must outlive this.
  JointGrowth(const NodePairs& pairs, const RoomModel& room,
              const StreamWeights& weights, double heat);

  // Sets the job and the state for Grow. required: part of every set. The state
  // must outlive the calls.
  void Begin(const JointState& state, const JointJob& job,
             std::span<const NodeId> required);
  std::span<const NodeId> free_nodes() const { return free_; }
  // From a free node. Without one, and with distance false: by heat and
  // perimeter alone.
  JointSet Grow(std::optional<NodeId> centre, bool distance = true);
  // The cost of a set, recomputed, and the cooling power in it before its
  // weight. REQUIRES Begin.
  double CostOf(std::span<const NodeId> nodes);
  double CoolingWattsWith(std::span<const NodeId> nodes);
  // Budget units of one Begin, and of one Grow after it.
  std::uint64_t WorkOfBegin() const;
  std::uint64_t WorkOfGrow() const;

 private:
  double PeakWith(const float* rise_k) const;
  NodeId NextNode() const;
  void Reset();
  void Add(NodeId node, double hop_w);

  const NodePairs& pairs_;
  const RoomModel& room_;
  const StreamWeights& weights_;
  double heat_;

  const JointState* state_ = nullptr;
  JointJob job_;
  std::span<const NodeId> required_;
  std::vector<NodeId> free_;     // without the required nodes
  double min_added_w_ = 0;       // of the free nodes
  std::vector<double> own_w_;    // by NodeId: perimeter, if chosen first
  std::vector<double> added_w_;  // by NodeId: distance and closed pairs
  std::vector<std::uint8_t> chosen_;
  std::vector<float> inlet_c_;
  double it_w_ = 0;
};

// The state after a job has been placed on nodes.
void PlaceIn(JointState& state, const RoomModel& room,
             std::span<const NodeId> nodes, TimeMs end_ms);
// The state after the job on these nodes has ended.
void EndIn(JointState& state, const RoomModel& room,
           std::span<const NodeId> nodes);

// The cooling power of a state, in watts.
double CoolingWattsOf(const JointState& state, const RoomModel& room);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_JOINT_GROWTH_H_
