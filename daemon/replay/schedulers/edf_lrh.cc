// SPDX-License-Identifier: GPL-3.0-or-later
// EDF-LRH (spatio-temporal-scint, section 6, algorithm 4): runs as few jobs at
// a time as deadlines allow, on the nodes with the least recirculated heat.
//
// Each pass plans all waiting jobs anew, group by group, the most efficient
// first, in the order of their deadlines. By default a job starts when all jobs
// before it have ended. If it would miss its deadline then, or would wait
// longer than option slack allows:
//   1. it takes the first opening: enough free nodes for enough time, before
//      its deadline;
//   2. else it is push-fitted: it is planned before jobs that still meet their
//      deadlines when they are shifted to later times;
//   3. else it falls through to the next group.
// A job that meets its deadline in no group is planned where it ends first, on
// nodes of several groups too. Algorithm 4 queues such a job in the last group
// without saying what becomes of it. Jobs larger than any group are planned in
// the order of deadlines too; one that would miss its deadline starts before
// all others when all running jobs have ended. On nodes of several groups a job
// has the speed of the slowest, so it leaves out groups without which it ends
// first.
//
// The scheduler chooses the nodes: the policy is offered no others.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "policy/thermal/victor_ranks.h"
#include "replay/node_speed.h"
#include "replay/schedulers/group_planner.h"
#include "replay/schedulers/node_groups.h"
#include "replay/schedulers/scheduler.h"

namespace coolspan {
namespace {

// Waiting jobs by deadline.
using DueJobs = absl::btree_set<std::pair<TimeMs, JobIndex>>;

// A job on nodes of several groups.
struct Spread {
  Planned planned;
  std::vector<NodeCount> nodes;  // by group
};

// The plan of a pass.
struct Plan {
  std::vector<GroupPlanner> groups;
  std::vector<Spread> spread;
  DueJobs late;  // they miss their deadlines; not planned
};

// Takes the nodes of a job from groups in which that many are free, the least
// efficient first: the job has the speed of the slowest anyway. nullopt: there
// are too few.
std::optional<Spread> TakeNodes(const Planned& planned, NodeCount nodes,
                                std::span<const NodeCount> free) {
  Spread spread{planned, std::vector<NodeCount>(free.size(), 0)};
  for (std::size_t g = free.size(); g-- > 0;) {
    spread.nodes[g] = std::min(nodes, free[g]);
    nodes -= spread.nodes[g];
  }
  if (nodes > 0) return std::nullopt;
  return spread;
}

void Hold(const Spread& spread, std::span<GroupPlanner> groups) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (spread.nodes[g] == 0) continue;
    groups[g].Hold(spread.planned.start_ms, spread.planned.end_ms(),
                   spread.nodes[g]);
  }
}

class EdfLrh final : public Scheduler {
 public:
  explicit EdfLrh(const SchedulerSetup& setup)
      : jobs_(setup.jobs),
        estimates_(setup.estimates),
        slack_(setup.values.at("slack")),
        groups_(*setup.machine, setup.jobs) {
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
    const Plan plan = MakePlan(cluster);
    for (const Spread& spread : plan.spread) {
      absl::Status started = StartIfDue(cluster, spread);
      if (!started.ok()) return started;
    }
    for (std::size_t g = 0; g < plan.groups.size(); ++g) {
      for (const Planned& planned : plan.groups[g].plan()) {
        std::vector<NodeCount> nodes(plan.groups.size(), 0);
        nodes[g] = jobs_[planned.job].nodes;
        absl::Status started = StartIfDue(cluster, {planned, std::move(nodes)});
        if (!started.ok()) return started;
      }
    }
    return absl::OkStatus();
  }

 private:
  TimeMs RunOf(JobIndex job, const NodeGroup& group) const {
    return std::clamp<TimeMs>(AtSpeed(estimates_.Of(job), group.speed), 1,
                              FreeProfile::kForeverMs / 2);
  }
  bool IsLargerThanGroups(JobIndex job) const {
    return groups_.GroupsFor(jobs_[job]).empty();
  }
  // On groups that are at least as fast as one of them: where the job ends
  // first, at that time or before. nullopt: there are too few nodes.
  // try_on(planned, usable): the job on the groups that are usable.
  template <typename TryOn>
  std::optional<Spread> AtBestSpeed(JobIndex job, TimeMs last_end_ms,
                                    TryOn&& try_on) const {
    std::optional<Spread> best;
    for (const NodeGroup& slowest : groups_.groups()) {
      std::vector<bool> usable;
      for (const NodeGroup& group : groups_.groups()) {
        usable.push_back(group.speed >= slowest.speed);
      }
      std::optional<Spread> one =
          try_on(Planned{0, RunOf(job, slowest), job}, usable);
      if (!one.has_value() || one->planned.end_ms() > last_end_ms) continue;
      last_end_ms = one->planned.end_ms() - 1;
      best = std::move(one);
    }
    return best;
  }

  // At the first time with enough free nodes for long enough.
  std::optional<Spread> AtOpening(JobIndex job,
                                  std::span<const GroupPlanner> groups,
                                  TimeMs last_end_ms) const {
    std::vector<TimeMs> starts_ms;
    for (const GroupPlanner& group : groups) {
      const std::vector<TimeMs> changes_ms = group.profile().Changes();
      starts_ms.insert(starts_ms.end(), changes_ms.begin(), changes_ms.end());
    }
    std::sort(starts_ms.begin(), starts_ms.end());
    std::vector<NodeCount> free(groups.size());
    return AtBestSpeed(
        job, last_end_ms,
        [&](Planned planned,
            const std::vector<bool>& usable) -> std::optional<Spread> {
          const auto enough_until = [&](TimeMs end_ms) {
            std::uint64_t sum = 0;
            for (std::size_t g = 0; g < groups.size(); ++g) {
              free[g] = usable[g] ? groups[g].profile().LeastFree(
                                        planned.start_ms, end_ms)
                                  : 0;
              sum += free[g];
            }
            return sum >= jobs_[job].nodes;
          };
          for (const TimeMs start_ms : starts_ms) {
            planned.start_ms = start_ms;
            if (planned.end_ms() > last_end_ms) break;
            // Most starts have too few nodes even at that moment.
            if (enough_until(start_ms) && enough_until(planned.end_ms())) {
              return TakeNodes(planned, jobs_[job].nodes, free);
            }
          }
          return std::nullopt;
        });
  }

  // When all other jobs on those groups have ended.
  std::optional<Spread> AfterAll(JobIndex job,
                                 std::span<const GroupPlanner> groups) const {
    return AtBestSpeed(job, std::numeric_limits<TimeMs>::max(),
                       [&](Planned planned, const std::vector<bool>& usable) {
                         std::vector<NodeCount> free(groups.size(), 0);
                         planned.start_ms = std::numeric_limits<TimeMs>::min();
                         for (std::size_t g = 0; g < groups.size(); ++g) {
                           if (!usable[g]) continue;
                           free[g] = groups[g].available();
                           planned.start_ms = std::max(planned.start_ms,
                                                       groups[g].all_end_ms());
                         }
                         return TakeNodes(planned, jobs_[job].nodes, free);
                       });
  }

  Plan MakePlan(const Cluster& cluster) const {
    std::vector<GroupPlanner> held;
    for (const NodeGroup& group : groups_.groups()) {
      held.emplace_back(jobs_, group, cluster, slack_);
    }
    std::vector<Spread> spread;
    Plan plan = PlanAround(spread, held);
    if (HoldLarge(plan.late, spread, held)) plan = PlanAround(spread, held);
    PlanLate(plan);
    return plan;
  }

  // Large jobs that are late, one after the other, when all others have ended;
  // nothing else runs on their groups then.
  // False: there are none.
  bool HoldLarge(const DueJobs& late, std::vector<Spread>& spread,
                 std::vector<GroupPlanner>& held) const {
    const std::size_t before = spread.size();
    for (const auto& [deadline_ms, job] : late) {
      if (!IsLargerThanGroups(job)) continue;
      std::optional<Spread> one = AfterAll(job, held);
      if (!one.has_value()) continue;
      for (std::size_t g = 0; g < held.size(); ++g) {
        if (one->nodes[g] == 0) continue;
        held[g].Hold(one->planned.start_ms, one->planned.end_ms(),
                     held[g].available());
      }
      spread.push_back(*std::move(one));
    }
    return spread.size() > before;
  }

  // All other waiting jobs; the groups hold the nodes of spread.
  Plan PlanAround(const std::vector<Spread>& spread,
                  std::vector<GroupPlanner> held) const {
    DueJobs others = waiting_;
    for (const Spread& one : spread) {
      others.erase({jobs_[one.planned.job].deadline_ms, one.planned.job});
    }
    Plan plan{std::move(held), spread, {}};
    DueJobs of_groups;
    for (const auto& due : others) {
      if (!IsLargerThanGroups(due.second)) {
        of_groups.insert(due);
        continue;
      }
      PlanGroups(of_groups, plan);
      of_groups.clear();
      PlanLarge(due, plan);
    }
    PlanGroups(of_groups, plan);
    return plan;
  }

  void PlanGroups(const DueJobs& jobs, Plan& plan) const {
    const std::span<const NodeGroup> groups = groups_.groups();
    std::vector<DueJobs> queues(groups.size());
    for (const auto& due : jobs) {
      const std::vector<std::size_t> choices =
          groups_.GroupsFor(jobs_[due.second]);
      if (!choices.empty()) queues[choices.front()].insert(due);
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (const auto& due : queues[g]) {
        const JobIndex job = due.second;
        if (plan.groups[g].Fit(job, RunOf(job, groups[g]))) continue;
        const std::vector<std::size_t> choices = groups_.GroupsFor(jobs_[job]);
        const auto next = std::upper_bound(choices.begin(), choices.end(), g);
        (next == choices.end() ? plan.late : queues[*next]).insert(due);
      }
    }
  }

  // After all others, or in the first opening.
  void PlanLarge(const std::pair<TimeMs, JobIndex>& due, Plan& plan) const {
    std::optional<Spread> one = AfterAll(due.second, plan.groups);
    if (one.has_value() &&
        !MayWaitUntil(one->planned.start_ms, jobs_[due.second],
                      one->planned.run_ms, slack_)) {
      one = AtOpening(due.second, plan.groups, due.first);
    }
    if (one.has_value()) {
      Hold(*one, plan.groups);
      plan.spread.push_back(*std::move(one));
    } else {
      plan.late.insert(due);
    }
  }

  // Where they end first.
  void PlanLate(Plan& plan) const {
    for (const auto& [deadline_ms, job] : plan.late) {
      std::optional<Planned> best;
      std::size_t in = 0;
      for (const std::size_t g : groups_.GroupsFor(jobs_[job])) {
        if (plan.groups[g].available() < jobs_[job].nodes) continue;
        const Planned one =
            plan.groups[g].AtOpening(job, RunOf(job, groups_.groups()[g]));
        if (best.has_value() && one.end_ms() >= best->end_ms()) continue;
        best = one;
        in = g;
      }
      std::optional<Spread> spread;
      if (jobs_[job].node_type < 0) {
        spread = AtOpening(
            job, plan.groups,
            best.has_value() ? best->end_ms() - 1 : FreeProfile::kForeverMs);
      }
      if (spread.has_value()) {
        Hold(*spread, plan.groups);
        plan.spread.push_back(*std::move(spread));
      } else if (best.has_value()) {
        plan.groups[in].Add(*best);
      }
    }
  }

  // The free nodes of the group with the lowest victor ranks.
  void AddLeastRanked(const NodeGroup& group, NodeCount nodes,
                      const NodeSet& free, NodeSet& least) const {
    for (const auto& [rank, node] : by_rank_) {
      if (nodes == 0) break;
      if (!group.nodes.Contains(node) || !free.Contains(node)) continue;
      least.Insert(node);
      --nodes;
    }
  }

  // If it is due and its nodes are free.
  absl::Status StartIfDue(Cluster& cluster, const Spread& spread) {
    const Planned& planned = spread.planned;
    if (planned.start_ms > cluster.now_ms()) {
      wake_ms_ =
          std::min(wake_ms_.value_or(planned.start_ms), planned.start_ms);
      return absl::OkStatus();
    }
    NodeSet least(cluster.free_set().size());
    for (std::size_t g = 0; g < spread.nodes.size(); ++g) {
      AddLeastRanked(groups_.groups()[g], spread.nodes[g], cluster.free_set(),
                     least);
    }
    if (least.Count() < jobs_[planned.job].nodes) return absl::OkStatus();
    const absl::StatusOr<bool> started = cluster.Start(planned.job, &least);
    if (!started.ok()) return started.status();
    if (*started) {
      waiting_.erase({jobs_[planned.job].deadline_ms, planned.job});
    }
    return absl::OkStatus();
  }

  const std::span<const WorkloadJob> jobs_;
  const Estimates& estimates_;
  const double slack_;
  const NodeGroups groups_;
  std::vector<std::pair<double, NodeId>> by_rank_;
  DueJobs waiting_;
  std::optional<TimeMs> wake_ms_;
};

}  // namespace

std::unique_ptr<Scheduler> MakeEdfLrh(const SchedulerSetup& setup) {
  return std::make_unique<EdfLrh>(setup);
}

}  // namespace coolspan
