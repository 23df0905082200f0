// SPDX-License-Identifier: GPL-3.0-or-later
// EDF-LRH (spatio-temporal-scint, section 6, algorithm 4): runs as few jobs at
// a time as deadlines allow, on the nodes with the least recirculated heat.
//
// Each pass plans all waiting jobs anew, group by group, the most efficient
// first, in the order of their deadlines. By default a job starts when all jobs
// before it have ended. If it would miss its deadline then:
//   1. it takes the first opening: enough free nodes for enough time, before
//      its deadline;
//   2. else it is push-fitted: it is planned before jobs that still meet their
//      deadlines when they are shifted to later times;
//   3. else it falls through to the next group.
// A job that meets its deadline in no group is planned where it ends first.
// Algorithm 4 queues a job that misses its deadline in the last group without
// saying what becomes of it. Jobs larger than any group start before all others
// when all running jobs have ended.
//
// The scheduler chooses the nodes: the policy is offered no others.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "policy/thermal/victor_ranks.h"
#include "replay/node_speed.h"
#include "replay/schedulers/free_profile.h"
#include "replay/schedulers/node_groups.h"
#include "replay/schedulers/scheduler.h"

namespace coolspan {
namespace {

// A running job that has exceeded its estimate is expected to run on.
constexpr TimeMs kOverrunMs = 60 * kMsPerSecond;

struct Planned {
  TimeMs start_ms;
  TimeMs run_ms;
  JobIndex job;
};
// By start.
using GroupPlan = std::vector<Planned>;

// The plan of one group.
class GroupPlanner {
 public:
  GroupPlanner(std::span<const WorkloadJob> jobs, const NodeGroup& group,
               const Cluster& cluster)
      : jobs_(jobs),
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
      const TimeMs end_ms = job.estimated_end_ms > now_ms_
                                ? job.estimated_end_ms
                                : now_ms_ + kOverrunMs;
      idle_.Hold(now_ms_, end_ms, held);
      all_end_ms_ = std::max(all_end_ms_, end_ms);
    }
    all_ = idle_;
  }

  TimeMs all_end_ms() const { return all_end_ms_; }
  // No node is free in this time, which is after all others.
  void Block(TimeMs begin_ms, TimeMs run_ms) {
    idle_.Hold(begin_ms, begin_ms + run_ms, available_);
    all_.Hold(begin_ms, begin_ms + run_ms, available_);
    all_end_ms_ = std::max(all_end_ms_, begin_ms + run_ms);
  }

  // After all others, in an opening, or by push-fit. False: it would miss its
  // deadline.
  bool Fit(JobIndex job, TimeMs run_ms) {
    if (NodesOf(job) > available_) return false;
    TimeMs start_ms = all_.EarliestFit(all_end_ms_, run_ms, NodesOf(job));
    if (!MeetsDeadline(job, start_ms, run_ms)) {
      start_ms = all_.EarliestFit(now_ms_, run_ms, NodesOf(job));
      if (!MeetsDeadline(job, start_ms, run_ms)) return PushFit(job, run_ms);
    }
    Add({start_ms, run_ms, job});
    return true;
  }

  // The end at the first opening; the latest time if there are too few nodes.
  TimeMs EarliestEnd(JobIndex job, TimeMs run_ms) const {
    if (NodesOf(job) > available_) return std::numeric_limits<TimeMs>::max();
    return all_.EarliestFit(now_ms_, run_ms, NodesOf(job)) + run_ms;
  }
  void FitLate(JobIndex job, TimeMs run_ms) {
    Add({all_.EarliestFit(now_ms_, run_ms, NodesOf(job)), run_ms, job});
  }

  const GroupPlan& plan() const { return plan_; }

 private:
  NodeCount NodesOf(JobIndex job) const { return jobs_[job].nodes; }
  bool MeetsDeadline(JobIndex job, TimeMs start_ms, TimeMs run_ms) const {
    return start_ms <= jobs_[job].deadline_ms - run_ms;
  }

  void Add(const Planned& planned) {
    const TimeMs end_ms = planned.start_ms + planned.run_ms;
    all_.Hold(planned.start_ms, end_ms, NodesOf(planned.job));
    all_end_ms_ = std::max(all_end_ms_, end_ms);
    const auto place = std::upper_bound(plan_.begin(), plan_.end(), planned,
                                        [](const Planned& a, const Planned& b) {
                                          return a.start_ms < b.start_ms;
                                        });
    plan_.insert(place, planned);
  }

  // Tries the last place of the plan, then places twice as far from the end,
  // up to the first.
  bool PushFit(JobIndex job, TimeMs run_ms) {
    for (std::size_t behind = 1; !plan_.empty(); behind *= 2) {
      behind = std::min(behind, plan_.size());
      if (PushFitAt(plan_.size() - behind, {now_ms_, run_ms, job})) return true;
      if (behind == plan_.size()) break;
    }
    return false;
  }

  // Plans the job before that one of the plan; those from there on start when
  // they did or later.
  bool PushFitAt(std::size_t place, Planned pushed) {
    FreeProfile profile = idle_;
    GroupPlan plan;
    const auto take = [&](Planned planned) {
      planned.start_ms = profile.EarliestFit(planned.start_ms, planned.run_ms,
                                             NodesOf(planned.job));
      profile.Hold(planned.start_ms, planned.start_ms + planned.run_ms,
                   NodesOf(planned.job));
      plan.push_back(planned);
      return planned.start_ms;
    };
    for (std::size_t i = 0; i < place; ++i) take(plan_[i]);
    if (!MeetsDeadline(pushed.job, take(pushed), pushed.run_ms)) return false;
    for (std::size_t i = place; i < plan_.size(); ++i) {
      const TimeMs start_ms = take(plan_[i]);
      const bool met =
          MeetsDeadline(plan_[i].job, plan_[i].start_ms, plan_[i].run_ms);
      if (met && !MeetsDeadline(plan_[i].job, start_ms, plan_[i].run_ms)) {
        return false;
      }
    }
    std::stable_sort(plan.begin(), plan.end(),
                     [](const Planned& a, const Planned& b) {
                       return a.start_ms < b.start_ms;
                     });
    plan_ = std::move(plan);
    all_ = std::move(profile);
    for (const Planned& planned : plan_) {
      all_end_ms_ = std::max(all_end_ms_, planned.start_ms + planned.run_ms);
    }
    return true;
  }

  const std::span<const WorkloadJob> jobs_;
  const TimeMs now_ms_;
  const NodeCount available_;
  FreeProfile idle_;  // with running jobs only
  FreeProfile all_;   // with the plan
  TimeMs all_end_ms_;
  GroupPlan plan_;
};

class EdfLrh final : public Scheduler {
 public:
  explicit EdfLrh(const SchedulerSetup& setup)
      : jobs_(setup.jobs),
        estimates_(setup.estimates),
        groups_(*setup.machine) {
    const std::vector<double> ranks = VictorRanks(*setup.machine->room());
    for (NodeId node = 0; node < ranks.size(); ++node) {
      by_rank_.emplace_back(ranks[node], node);
    }
    std::sort(by_rank_.begin(), by_rank_.end());
  }

  void Submit(JobIndex job) override {
    waiting_.insert({jobs_[job].deadline_ms, job});
  }
  bool empty() const override { return waiting_.empty(); }
  JobIndex head() const override { return waiting_.begin()->second; }
  std::optional<TimeMs> wake_ms() const override { return wake_ms_; }

  absl::Status Schedule(Cluster& cluster) override {
    wake_ms_ = std::nullopt;
    if (waiting_.empty()) return absl::OkStatus();
    std::vector<GroupPlanner> planners;
    for (const NodeGroup& group : groups_.groups()) {
      planners.emplace_back(jobs_, group, cluster);
    }
    GroupPlan whole = PlanWhole(planners);
    PlanGroups(planners);
    if (absl::Status started = StartDue(cluster, whole, groups_.whole());
        !started.ok()) {
      return started;
    }
    for (std::size_t g = 0; g < planners.size(); ++g) {
      absl::Status started =
          StartDue(cluster, planners[g].plan(), groups_.groups()[g]);
      if (!started.ok()) return started;
    }
    return absl::OkStatus();
  }

 private:
  TimeMs RunOf(JobIndex job, const NodeGroup& group) const {
    return std::clamp<TimeMs>(AtSpeed(estimates_.Of(job), group.speed), 1,
                              FreeProfile::kForeverMs / 2);
  }

  // The jobs that need nodes of several groups, one after the other.
  GroupPlan PlanWhole(std::vector<GroupPlanner>& planners) const {
    GroupPlan plan;
    for (const auto& [deadline_ms, job] : waiting_) {
      if (!groups_.GroupsFor(jobs_[job]).empty()) continue;
      TimeMs start_ms = std::numeric_limits<TimeMs>::min();
      for (const GroupPlanner& planner : planners) {
        start_ms = std::max(start_ms, planner.all_end_ms());
      }
      const TimeMs run_ms = RunOf(job, groups_.whole());
      for (GroupPlanner& planner : planners) planner.Block(start_ms, run_ms);
      plan.push_back({start_ms, run_ms, job});
    }
    return plan;
  }

  void PlanGroups(std::vector<GroupPlanner>& planners) const {
    const std::span<const NodeGroup> groups = groups_.groups();
    // The queue of a group; the one after the last has those that are late.
    std::vector<absl::btree_set<std::pair<TimeMs, JobIndex>>> queues(
        groups.size() + 1);
    for (const auto& waiting : waiting_) {
      const std::vector<std::size_t> choices =
          groups_.GroupsFor(jobs_[waiting.second]);
      if (!choices.empty()) queues[choices.front()].insert(waiting);
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (const auto& waiting : queues[g]) {
        const JobIndex job = waiting.second;
        if (planners[g].Fit(job, RunOf(job, groups[g]))) continue;
        const std::vector<std::size_t> choices = groups_.GroupsFor(jobs_[job]);
        const auto next = std::upper_bound(choices.begin(), choices.end(), g);
        queues[next == choices.end() ? groups.size() : *next].insert(waiting);
      }
    }
    for (const auto& [deadline_ms, job] : queues.back()) {
      PlanLate(job, planners);
    }
  }

  void PlanLate(JobIndex job, std::vector<GroupPlanner>& planners) const {
    TimeMs earliest_ms = std::numeric_limits<TimeMs>::max();
    std::size_t best = planners.size();
    for (const std::size_t g : groups_.GroupsFor(jobs_[job])) {
      const TimeMs end_ms =
          planners[g].EarliestEnd(job, RunOf(job, groups_.groups()[g]));
      if (end_ms >= earliest_ms) continue;
      earliest_ms = end_ms;
      best = g;
    }
    if (best == planners.size()) return;  // too few nodes are available
    planners[best].FitLate(job, RunOf(job, groups_.groups()[best]));
  }

  // The free nodes of the group with the lowest victor ranks.
  NodeSet LeastRankedFree(const Cluster& cluster, const NodeGroup& group,
                          NodeCount nodes) const {
    NodeSet least(group.nodes.size());
    for (const auto& [rank, node] : by_rank_) {
      if (nodes == 0) break;
      if (!group.nodes.Contains(node) || !cluster.free_set().Contains(node)) {
        continue;
      }
      least.Insert(node);
      --nodes;
    }
    return least;
  }

  absl::Status StartDue(Cluster& cluster, const GroupPlan& plan,
                        const NodeGroup& group) {
    for (const Planned& planned : plan) {
      if (planned.start_ms > cluster.now_ms()) {
        wake_ms_ =
            std::min(wake_ms_.value_or(planned.start_ms), planned.start_ms);
        break;
      }
      const NodeCount nodes = jobs_[planned.job].nodes;
      if (cluster.free_set().CountCommon(group.nodes) < nodes) continue;
      const NodeSet least = LeastRankedFree(cluster, group, nodes);
      const absl::StatusOr<bool> started = cluster.Start(planned.job, &least);
      if (!started.ok()) return started.status();
      if (!*started) continue;
      waiting_.erase({jobs_[planned.job].deadline_ms, planned.job});
    }
    return absl::OkStatus();
  }

  const std::span<const WorkloadJob> jobs_;
  const Estimates& estimates_;
  const NodeGroups groups_;
  std::vector<std::pair<double, NodeId>> by_rank_;
  absl::btree_set<std::pair<TimeMs, JobIndex>> waiting_;  // by deadline
  std::optional<TimeMs> wake_ms_;
};

}  // namespace

std::unique_ptr<Scheduler> MakeEdfLrh(const SchedulerSetup& setup) {
  return std::make_unique<EdfLrh>(setup);
}

}  // namespace coolspan
