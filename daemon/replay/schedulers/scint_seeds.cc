// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/schedulers/scint_seeds.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "policy/thermal/victor_ranks.h"
#include "replay/event_loop.h"
#include "replay/node_speed.h"
#include "replay/schedulers/free_profile.h"
#include "replay/schedulers/node_groups.h"

namespace coolspan {
namespace {

// Chooses the first free nodes in a fixed order.
class FirstFreePort final : public AllocatorPort {
 public:
  explicit FirstFreePort(std::vector<NodeId> order)
      : order_(std::move(order)),
        free_(NodeSet::All(static_cast<NodeCount>(order_.size()))) {}

  absl::StatusOr<Answer> Choose(const Ask& ask,
                                std::vector<NodeId>& nodes) override {
    nodes.clear();
    for (const NodeId node : order_) {
      if (nodes.size() == ask.nodes) break;
      const bool offered =
          ask.available == nullptr || ask.available->Contains(node);
      if (offered && free_.Contains(node)) nodes.push_back(node);
    }
    std::sort(nodes.begin(), nodes.end());
    return Answer{.placed = nodes.size() == ask.nodes};
  }
  absl::StatusOr<Answer> Preview(std::size_t, const Ask& ask,
                                 std::vector<NodeId>& nodes) override {
    return Choose(ask, nodes);
  }
  absl::Status Commit(JobKey job, TimeMs, const std::vector<NodeId>& nodes,
                      std::optional<float>) override {
    for (const NodeId node : nodes) free_.Erase(node);
    held_[job.job_id] = nodes;
    return absl::OkStatus();
  }
  absl::Status Release(JobKey job, TimeMs) override {
    for (const NodeId node : held_[job.job_id]) free_.Insert(node);
    held_.erase(job.job_id);
    return absl::OkStatus();
  }
  absl::Status Finish() override { return absl::OkStatus(); }

 private:
  const std::vector<NodeId> order_;
  NodeSet free_;
  absl::flat_hash_map<std::uint64_t, std::vector<NodeId>> held_;
};

absl::StatusOr<SeedPlan> SimulateOne(const SchedulerSetup& setup,
                                     std::unique_ptr<Scheduler> scheduler,
                                     std::vector<NodeId> order) {
  FirstFreePort port(std::move(order));
  Estimates estimates = setup.estimates;
  const Room& room = *setup.machine->room();
  SeedPlan plan(setup.jobs.size());
  Cluster cluster(
      {.jobs = setup.jobs,
       .estimates = estimates,
       .machine_nodes = setup.machine->node_count(),
       .seed = 0,
       .room = &room},
      port,
      [&](const Placement& placement) -> absl::StatusOr<JobRun> {
        const TimeMs run_ms =
            AtSpeed(std::max<TimeMs>(setup.estimates.Of(placement.job), 1),
                    SlowestSpeed(room, placement.nodes));
        plan[placement.job] = {placement.start_ms(),
                               placement.start_ms() + run_ms, placement.nodes};
        return JobRun{.run_ms = run_ms, .communication_share = {}};
      },
      [](const JobEnd&) {});
  absl::Status run =
      RunEvents({.jobs = setup.jobs}, estimates, *scheduler, cluster);
  if (!run.ok()) return run;
  return plan;
}

// Plans jobs one after the other, each where it ends first beside those before
// it, on nodes of one group. Jobs that need several groups get all nodes at
// once. Offline: the order need not be that of the arrivals.
class ListPlan {
 public:
  explicit ListPlan(const SchedulerSetup& setup)
      : setup_(setup),
        groups_(*setup.machine, setup.jobs),
        begin_ms_(kNoDeadlineMs) {
    for (const WorkloadJob& job : setup.jobs) {
      begin_ms_ = std::min(begin_ms_, job.submit_ms);
    }
    for (const NodeGroup& group : groups_.groups()) {
      profiles_.emplace_back(begin_ms_, group.count);
    }
    plan_.resize(setup.jobs.size());
    group_of_.resize(setup.jobs.size());
  }

  void Add(JobIndex job) {
    const std::vector<std::size_t> choices = groups_.GroupsFor(Of(job));
    if (choices.empty()) {
      AddWhole(job);
      return;
    }
    TimeMs earliest_ms = kNoDeadlineMs;
    std::size_t best = choices.front();
    for (const std::size_t g : choices) {
      const TimeMs run_ms = RunMs(job, groups_.groups()[g]);
      const TimeMs end_ms =
          profiles_[g].EarliestFit(Of(job).submit_ms, run_ms, Of(job).nodes) +
          run_ms;
      if (end_ms >= earliest_ms) continue;
      earliest_ms = end_ms;
      best = g;
    }
    const TimeMs run_ms = RunMs(job, groups_.groups()[best]);
    Take(job, best, earliest_ms - run_ms, earliest_ms);
    profiles_[best].Hold(earliest_ms - run_ms, earliest_ms, Of(job).nodes);
  }

  // The plan with nodes, those of each group in that order.
  SeedPlan WithNodes(const std::vector<NodeId>& order) {
    std::vector<JobIndex> by_start(plan_.size());
    std::iota(by_start.begin(), by_start.end(), JobIndex{0});
    std::stable_sort(by_start.begin(), by_start.end(),
                     [this](JobIndex a, JobIndex b) {
                       return plan_[a].start_ms < plan_[b].start_ms;
                     });
    std::vector<TimeMs> free_from(order.size(), begin_ms_);  // by NodeId
    for (const JobIndex job : by_start) {
      const NodeSet& nodes = group_of_[job] < groups_.groups().size()
                                 ? groups_.groups()[group_of_[job]].nodes
                                 : groups_.whole().nodes;
      SeedRun& run = plan_[job];
      for (const NodeId node : order) {
        if (run.nodes.size() == Of(job).nodes) break;
        if (!nodes.Contains(node) || free_from[node] > run.start_ms) continue;
        run.nodes.push_back(node);
        free_from[node] = run.end_ms;
      }
    }
    return plan_;
  }

 private:
  const WorkloadJob& Of(JobIndex job) const { return setup_.jobs[job]; }
  TimeMs RunMs(JobIndex job, const NodeGroup& group) const {
    return AtSpeed(std::max<TimeMs>(setup_.estimates.Of(job), 1), group.speed);
  }
  void Take(JobIndex job, std::size_t group, TimeMs start_ms, TimeMs end_ms) {
    plan_[job].start_ms = start_ms;
    plan_[job].end_ms = end_ms;
    group_of_[job] = group;
  }
  void AddWhole(JobIndex job) {
    const TimeMs run_ms = RunMs(job, groups_.whole());
    TimeMs start_ms = Of(job).submit_ms;
    for (std::size_t agreed = 0; agreed < profiles_.size();) {
      agreed = 0;
      for (std::size_t g = 0; g < profiles_.size(); ++g) {
        const TimeMs fit_ms = profiles_[g].EarliestFit(
            start_ms, run_ms, groups_.groups()[g].count);
        agreed = fit_ms == start_ms ? agreed + 1 : 0;
        start_ms = fit_ms;
      }
    }
    for (std::size_t g = 0; g < profiles_.size(); ++g) {
      profiles_[g].Hold(start_ms, start_ms + run_ms, groups_.groups()[g].count);
    }
    Take(job, groups_.groups().size(), start_ms, start_ms + run_ms);
  }

  const SchedulerSetup& setup_;
  const NodeGroups groups_;
  TimeMs begin_ms_;
  std::vector<FreeProfile> profiles_;  // by group
  SeedPlan plan_;
  std::vector<std::size_t> group_of_;  // by job
};

// First the jobs that meet their deadlines in the feasible plan, by deadline;
// then the others, by their ends there.
SeedPlan PlanByDeadlines(const SchedulerSetup& setup, const SeedPlan& feasible,
                         const std::vector<NodeId>& order) {
  std::vector<std::tuple<bool, TimeMs, JobIndex>> sequence;
  for (JobIndex job = 0; job < setup.jobs.size(); ++job) {
    const TimeMs deadline_ms = setup.jobs[job].deadline_ms;
    const bool misses = feasible[job].end_ms > deadline_ms;
    sequence.emplace_back(misses, misses ? feasible[job].end_ms : deadline_ms,
                          job);
  }
  std::sort(sequence.begin(), sequence.end());
  ListPlan list(setup);
  for (const auto& [misses, time_ms, job] : sequence) list.Add(job);
  return list.WithNodes(order);
}

}  // namespace

absl::StatusOr<std::vector<SeedPlan>> SimulateSeeds(
    const SchedulerSetup& setup) {
  const std::vector<double> ranks = VictorRanks(*setup.machine->room());
  std::vector<NodeId> by_id(ranks.size());
  for (NodeId node = 0; node < by_id.size(); ++node) by_id[node] = node;
  std::vector<NodeId> by_rank = by_id;
  std::stable_sort(by_rank.begin(), by_rank.end(),
                   [&](NodeId a, NodeId b) { return ranks[a] < ranks[b]; });
  const bool any_type =
      std::all_of(setup.jobs.begin(), setup.jobs.end(),
                  [](const WorkloadJob& job) { return job.node_type < 0; });
  using Make = std::unique_ptr<Scheduler> (*)(const SchedulerSetup&);
  std::vector<std::pair<Make, const std::vector<NodeId>*>> simulated;
  if (any_type) simulated = {{MakeEasy, &by_id}, {MakeEasy, &by_rank}};
  simulated.emplace_back(MakeFcfsGroups, &by_id);
  simulated.emplace_back(MakeFcfsGroups, &by_rank);
  std::vector<SeedPlan> plans;
  for (const auto& [make, order] : simulated) {
    absl::StatusOr<SeedPlan> plan = SimulateOne(setup, make(setup), *order);
    if (!plan.ok()) return plan.status();
    plans.push_back(*std::move(plan));
  }
  // Deadlines that can be met: those that the first plan misses are its ends.
  std::vector<WorkloadJob> relaxed(setup.jobs.begin(), setup.jobs.end());
  for (std::size_t k = 0; k < relaxed.size(); ++k) {
    relaxed[k].deadline_ms =
        std::max(relaxed[k].deadline_ms, plans.front()[k].end_ms);
  }
  SchedulerSetup edf = setup;
  for (const std::span<const WorkloadJob> jobs :
       {setup.jobs, std::span<const WorkloadJob>(relaxed)}) {
    edf.jobs = jobs;
    absl::StatusOr<SeedPlan> plan = SimulateOne(
        edf, SchedulerChoice::Create("edf-lrh")->Make(edf), by_rank);
    if (!plan.ok()) return plan.status();
    plans.push_back(*std::move(plan));
  }
  plans.push_back(PlanByDeadlines(setup, plans.front(), by_rank));
  return plans;
}

}  // namespace coolspan
