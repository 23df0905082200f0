// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_LOOKAHEAD_H_
#define COOLSPAN_POLICY_STREAM_LOOKAHEAD_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/types.h"
#include "policy/stream/futures.h"
#include "policy/stream/hop_value.h"
#include "policy/stream/joint_growth.h"

namespace coolspan {

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
