// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_LOOKAHEAD_H_
#define COOLSPAN_POLICY_STREAM_LOOKAHEAD_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/types.h"
#include "policy/stream/futures.h"
#include "policy/stream/joint_growth.h"

namespace coolspan {

// What a hop of the mean pairwise distance of n nodes is worth in watts, and
// how long a job runs on them: of a job that communicates for a share s of its
// time, the run time is stretched by 1 + s (mean / ideal mean - 1)
// (joint-bqp-task-mapping, section 5.1), while n nodes are occupied:
//
//   watts per hop = node_w n s / ideal mean
class HopValue {
 public:
  // node_w: what the use of one node is worth. share: s.
  // ideal_mean: by number of nodes, from 0; above 0.
  HopValue(double node_w, double share, std::span<const double> ideal_mean)
      : node_w_(node_w), share_(share), ideal_mean_(ideal_mean) {}

  double WattsPerHop(NodeCount nodes) const {
    return node_w_ * nodes * share_ / ideal_mean_[nodes];
  }
  // The run time relative to that of the ideal mean.
  double Stretch(NodeCount nodes, double mean) const {
    return nodes < 2 ? 1 : 1 + share_ * (mean / ideal_mean_[nodes] - 1);
  }
  double node_w() const { return node_w_; }

 private:
  double node_w_;
  double share_;
  std::span<const double> ideal_mean_;
};

// A running job of which the end is expected.
struct RunningJob {
  TimeMs end_ms = 0;
  std::vector<NodeId> nodes;
};

// Plays possible futures after each of some placements of a job: coming jobs
// start first come, first served, each placed by JointGrowth from a few
// centres.
class Lookahead {
 public:
  // The arguments must outlive this. running: at `now`.
  Lookahead(JointGrowth& growth, const NodePairs& pairs, const RoomModel& room,
            const HopValue& value, double heat, const JointState& now,
            std::vector<RunningJob> running);

  // The cost in joules of one future after the placement: cooling power over
  // the horizon, and what the stretched time of all jobs that start is worth.
  double CostOf(std::span<const NodeId> placement, const JointJob& job,
                const Future& future, TimeMs horizon_ms);
  // Approximate budget units of the calls since the last one of this.
  std::uint64_t TakeWork();

 private:
  double MeanHops(std::span<const NodeId> nodes) const;
  void AdvanceTo(TimeMs time_ms);
  void Start(std::span<const NodeId> nodes, TimeMs run_ms);
  JointSet Choose(const JointJob& job);

  JointGrowth& growth_;
  const NodePairs& pairs_;
  const RoomModel& room_;
  const HopValue& value_;
  double heat_;
  const JointState& now_;
  const std::vector<RunningJob> running_now_;

  JointState state_;
  std::vector<RunningJob> running_;
  NodeCount free_ = 0;
  double cost_j_ = 0;
  std::uint64_t work_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_LOOKAHEAD_H_
