// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/schedulers/group_planner.h"

#include <algorithm>
#include <utility>

namespace coolspan {
namespace {

// A running job that has exceeded its estimate is expected to run on.
constexpr TimeMs kOverrunMs = 60 * kMsPerSecond;

bool StartsBefore(const Planned& a, const Planned& b) {
  return a.start_ms < b.start_ms;
}

}  // namespace

GroupPlanner::GroupPlanner(std::span<const WorkloadJob> jobs,
                           const NodeGroup& group, const Cluster& cluster,
                           double slack)
    : jobs_(jobs),
      slack_(slack),
      now_ms_(cluster.now_ms()),
      available_(cluster.available().CountCommon(group.nodes)),
      idle_(now_ms_, available_),
      all_(idle_),
      all_end_ms_(now_ms_) {
  for (const RunningJob& job : cluster.running()) {
    NodeCount held = 0;
    for (const NodeId node : cluster.NodesOf(job.job)) {
      held += group.nodes.Contains(node) && cluster.available().Contains(node)
                  ? 1
                  : 0;
    }
    if (held == 0) continue;
    Hold(now_ms_,
         job.estimated_end_ms > now_ms_ ? job.estimated_end_ms
                                        : now_ms_ + kOverrunMs,
         held);
  }
}

void GroupPlanner::Hold(TimeMs begin_ms, TimeMs end_ms, NodeCount nodes) {
  idle_.Hold(begin_ms, end_ms, nodes);
  all_.Hold(begin_ms, end_ms, nodes);
  all_end_ms_ = std::max(all_end_ms_, end_ms);
}

bool GroupPlanner::Fit(JobIndex job, TimeMs run_ms) {
  if (NodesOf(job) > available_) return false;
  Planned planned{all_.EarliestFit(all_end_ms_, run_ms, NodesOf(job)), run_ms,
                  job};
  if (!MayWaitUntil(planned.start_ms, jobs_[job], run_ms, slack_)) {
    planned = AtOpening(job, run_ms);
  }
  if (!MeetsDeadline(planned)) return PushFit(job, run_ms);
  Add(planned);
  return true;
}

Planned GroupPlanner::AtOpening(JobIndex job, TimeMs run_ms) const {
  return {all_.EarliestFit(now_ms_, run_ms, NodesOf(job)), run_ms, job};
}

void GroupPlanner::Add(const Planned& planned) {
  all_.Hold(planned.start_ms, planned.end_ms(), NodesOf(planned.job));
  all_end_ms_ = std::max(all_end_ms_, planned.end_ms());
  plan_.insert(
      std::upper_bound(plan_.begin(), plan_.end(), planned, StartsBefore),
      planned);
}

// Tries the last place of the plan, then places twice as far from the end, up
// to the first.
bool GroupPlanner::PushFit(JobIndex job, TimeMs run_ms) {
  for (std::size_t behind = 1; !plan_.empty(); behind *= 2) {
    behind = std::min(behind, plan_.size());
    if (PushFitAt(plan_.size() - behind, {now_ms_, run_ms, job})) return true;
    if (behind == plan_.size()) break;
  }
  return false;
}

// Plans the job before that one of the plan; those from there on start when
// they did or later.
bool GroupPlanner::PushFitAt(std::size_t place, Planned pushed) {
  FreeProfile profile = idle_;
  std::vector<Planned> plan;
  const auto take = [&](Planned planned) {
    planned.start_ms = profile.EarliestFit(planned.start_ms, planned.run_ms,
                                           NodesOf(planned.job));
    profile.Hold(planned.start_ms, planned.end_ms(), NodesOf(planned.job));
    plan.push_back(planned);
    return planned;
  };
  for (std::size_t i = 0; i < place; ++i) take(plan_[i]);
  if (!MeetsDeadline(take(pushed))) return false;
  for (std::size_t i = place; i < plan_.size(); ++i) {
    const bool met = MeetsDeadline(plan_[i]);
    if (!MeetsDeadline(take(plan_[i])) && met) return false;
  }
  std::stable_sort(plan.begin(), plan.end(), StartsBefore);
  plan_ = std::move(plan);
  all_ = std::move(profile);
  for (const Planned& planned : plan_) {
    all_end_ms_ = std::max(all_end_ms_, planned.end_ms());
  }
  return true;
}

}  // namespace coolspan
