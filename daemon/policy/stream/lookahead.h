// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_LOOKAHEAD_H_
#define COOLSPAN_POLICY_STREAM_LOOKAHEAD_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/budget.h"
#include "core/types.h"
#include "policy/stream/futures.h"
#include "policy/stream/hop_value.h"
#include "policy/stream/joint_growth.h"

namespace coolspan {

// A running job of which the end is expected.
struct EndingJob {
  TimeMs end_ms = 0;
  std::vector<NodeId> nodes;
};

// Plays possible futures after each of some placements of a job: coming jobs
// start first come, first served, each placed by JointGrowth from a few
// centres.
class Lookahead {
 public:
  // What plays: the parts of a decision. They must outlive the Lookahead.
  struct Parts {
    JointGrowth& growth;
    const NodePairs& pairs;
    const RoomModel& room;
    const HopValue& value;
    double heat;  // weight of the cooling power
    const JointState& now;
    Budget& budget;
  };
  // running: at `now`. max_work: budget units of all calls together.
  Lookahead(const Parts& parts, std::vector<EndingJob> running,
            std::uint64_t max_work);

  // The cost in joules of one future after the placement: cooling power over
  // the horizon, and what the stretched time of all jobs that start is worth.
  // nullopt: the budget, or max_work, ended before.
  std::optional<double> CostOf(std::span<const NodeId> placement,
                               const JointJob& job, const Future& future,
                               TimeMs horizon_ms);
  // Budget units of all calls so far.
  std::uint64_t work() const { return work_; }

 private:
  double MeanHops(std::span<const NodeId> nodes) const;
  void AdvanceTo(TimeMs time_ms);
  void Start(std::span<const NodeId> nodes, TimeMs run_ms);
  bool Spend(std::uint64_t work_units);
  std::optional<JointSet> Grow(std::optional<NodeId> centre);
  std::optional<JointSet> Choose(const JointJob& job);

  const Parts parts_;
  const std::vector<EndingJob> running_now_;
  const std::uint64_t max_work_;
  std::uint64_t work_ = 0;

  JointState state_;
  std::vector<EndingJob> running_;
  NodeCount free_ = 0;
  double cost_j_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_LOOKAHEAD_H_
