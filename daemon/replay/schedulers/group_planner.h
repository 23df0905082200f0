// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_SCHEDULERS_GROUP_PLANNER_H_
#define COOLSPAN_REPLAY_SCHEDULERS_GROUP_PLANNER_H_

#include <cstddef>
#include <span>
#include <vector>

#include "core/types.h"
#include "replay/cluster.h"
#include "replay/input/workload.h"
#include "replay/schedulers/free_profile.h"
#include "replay/schedulers/node_groups.h"

namespace coolspan {

struct Planned {
  TimeMs start_ms;
  TimeMs run_ms;
  JobIndex job;

  TimeMs end_ms() const { return start_ms + run_ms; }
};

// Whether the job may wait until then for others to end: it meets its deadline
// with that run time, and waits at most slack, from 0 to 1, times the longest
// wait with which it does. The sum of the submit time and the run time fits in
// TimeMs.
inline bool MayWaitUntil(TimeMs start_ms, const WorkloadJob& job, TimeMs run_ms,
                         double slack) {
  const TimeMs last_ms = job.deadline_ms - run_ms;
  if (slack == 1 || start_ms > last_ms) return start_ms <= last_ms;
  const auto submit_ms = static_cast<double>(job.submit_ms);
  return static_cast<double>(start_ms) - submit_ms <=
         slack * (static_cast<double>(last_ms) - submit_ms);
}

// Plans the waiting jobs of one node group, for one pass of EDF-LRH. Not
// thread-safe.
class GroupPlanner {
 public:
  // slack: of MayWaitUntil. jobs must outlive the object.
  GroupPlanner(std::span<const WorkloadJob> jobs, const NodeGroup& group,
               const Cluster& cluster, double slack);

  // The free nodes with running and planned jobs.
  const FreeProfile& profile() const { return all_; }
  NodeCount available() const { return available_; }
  // The last end of these jobs.
  TimeMs all_end_ms() const { return all_end_ms_; }
  // A job holds these nodes whatever is planned later. REQUIRES that they are
  // free then.
  void Hold(TimeMs begin_ms, TimeMs end_ms, NodeCount nodes);

  // After all others, in an opening, or by push-fit. False: it would miss its
  // deadline.
  bool Fit(JobIndex job, TimeMs run_ms);

  // At the first opening. REQUIRES at most available() nodes.
  Planned AtOpening(JobIndex job, TimeMs run_ms) const;
  void Add(const Planned& planned);

  // By start.
  std::span<const Planned> plan() const { return plan_; }

 private:
  NodeCount NodesOf(JobIndex job) const { return jobs_[job].nodes; }
  bool MeetsDeadline(const Planned& planned) const {
    return planned.start_ms <= jobs_[planned.job].deadline_ms - planned.run_ms;
  }
  bool PushFit(JobIndex job, TimeMs run_ms);
  bool PushFitAt(std::size_t place, Planned pushed);

  const std::span<const WorkloadJob> jobs_;
  const double slack_;
  const TimeMs now_ms_;
  const NodeCount available_;
  FreeProfile idle_;  // without plan_
  FreeProfile all_;
  TimeMs all_end_ms_;
  std::vector<Planned> plan_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_SCHEDULERS_GROUP_PLANNER_H_
