// SPDX-License-Identifier: GPL-3.0-or-later
// SCINT (spatio-temporal-scint, sections 3 and 4): plans all jobs of the
// workload before the first starts, those that have not arrived yet included,
// for the least energy. Offline: it knows what no scheduler of a real machine
// knows, and is a bound for these.
//
// The scheduler chooses the nodes: the policy is offered no others. A job whose
// nodes are not free at its time, because an earlier job runs longer than
// estimated, starts when they are. If nodes of its sites are unavailable, the
// policy chooses other nodes. A running job whose next nodes are not free moves
// when they are.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "replay/schedulers/planned_moves.h"
#include "replay/schedulers/scheduler.h"
#include "replay/schedulers/scint_migration.h"
#include "replay/schedulers/scint_problem.h"
#include "replay/schedulers/scint_search.h"
#include "replay/schedulers/scint_seeds.h"

namespace coolspan {
namespace {

std::vector<ScintJob> JobsOf(const SchedulerSetup& setup,
                             const SeedPlan& feasible) {
  std::vector<ScintJob> jobs;
  for (JobIndex k = 0; k < setup.jobs.size(); ++k) {
    const WorkloadJob& job = setup.jobs[k];
    jobs.push_back({.arrival_ms = job.submit_ms,
                    .deadline_ms = job.deadline_ms,
                    .work_ms = std::max<TimeMs>(setup.estimates.Of(k), 1),
                    .nodes = job.nodes,
                    .node_type = job.node_type,
                    .must_meet = feasible[k].end_ms <= job.deadline_ms});
  }
  return jobs;
}

// The last end of a plan that meets deadlines, and the last deadline.
TimeMs LastEndOf(std::span<const WorkloadJob> jobs, const SeedPlan& feasible) {
  TimeMs end_ms = feasible.front().end_ms;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    end_ms = std::max(end_ms, feasible[k].end_ms);
    if (jobs[k].deadline_ms != kNoDeadlineMs) {
      end_ms = std::max(end_ms, jobs[k].deadline_ms);
    }
  }
  return end_ms;
}

ScintPlan PlanOf(const ScintProblem& problem, const SeedPlan& seed) {
  ScintPlan plan;
  for (const SeedRun& one : seed) {
    std::vector<NodeCount> counts(problem.sites().size(), 0);
    for (const NodeId node : one.nodes) ++counts[problem.SiteOf(node)];
    ScintRun run{.start_ms = one.start_ms, .end_ms = one.end_ms, .parts = {}};
    for (std::uint32_t site = 0; site < counts.size(); ++site) {
      if (counts[site] > 0) run.parts.push_back({site, counts[site]});
    }
    plan.push_back(std::move(run));
  }
  return plan;
}

class Scint final : public Scheduler {
 public:
  explicit Scint(const SchedulerSetup& setup) : setup_(setup) {}

  void Submit(JobIndex job) override { arrived_.push_back(job); }
  bool empty() const override { return arrived_.empty() && waiting_.empty(); }
  JobIndex head() const override {
    return waiting_.empty() ? arrived_.front() : waiting_.begin()->second;
  }
  std::optional<TimeMs> wake_ms() const override { return wake_ms_; }

  absl::Status Schedule(Cluster& cluster) override {
    if (problem_ == nullptr) {
      if (absl::Status planned = MakePlan(); !planned.ok()) return planned;
    }
    for (const JobIndex job : cluster.ended()) moves_.Forget(job);
    for (const JobIndex job : arrived_) {
      waiting_.insert({plan_[job].front().start_ms, job});
    }
    arrived_.clear();
    // A job that moves frees nodes for another.
    for (bool any = true; any;) {
      const absl::StatusOr<bool> moved = MoveDue(cluster);
      if (!moved.ok()) return moved.status();
      const absl::StatusOr<bool> started = StartDue(cluster);
      if (!started.ok()) return started.status();
      any = *moved || *started;
    }
    SetWake(cluster.now_ms());
    return absl::OkStatus();
  }

 private:
  absl::Status MakePlan() {
    const absl::StatusOr<std::vector<SeedPlan>> seeds = SimulateSeeds(setup_);
    if (!seeds.ok()) return seeds.status();
    constexpr double kMs = kMsPerSecond;
    const TimeMs from_ms = setup_.jobs.front().submit_ms + setup_.warm_up_ms;
    const SpecValues& values = setup_.values;
    problem_ = std::make_unique<ScintProblem>(
        *setup_.machine->room(), JobsOf(setup_, seeds->front()),
        std::llround(values.at("slot") * kMs), from_ms + setup_.min_energy_ms,
        LastEndOf(setup_.jobs, seeds->front()), from_ms,
        setup_.communication_share);
    std::vector<ScintPlan> pool;
    for (const SeedPlan& seed : *seeds) pool.push_back(PlanOf(*problem_, seed));
    const auto evaluations =
        static_cast<std::uint64_t>(values.at("evaluations"));
    const double pause_s = values.at("migration-time");
    migration_ = {
        .cost = {.pause_ms = std::llround(pause_s * kMs),
                 .j_per_node = pause_s * values.at("migration-power")},
        .most = static_cast<std::size_t>(values.at("migrations"))};
    plan_ = MigrateJobs(
        *problem_,
        EvolvePlans(*problem_, std::move(pool), setup_.seed, evaluations).plan,
        migration_, setup_.seed, evaluations);
    return absl::OkStatus();
  }

  // The pieces that begin later than now are moves of a job that starts now.
  std::size_t PieceAt(JobIndex job, TimeMs now_ms) const {
    std::size_t piece = 0;
    while (piece + 1 < plan_[job].size() &&
           plan_[job][piece + 1].start_ms <= now_ms) {
      ++piece;
    }
    return piece;
  }

  void SetWake(TimeMs now_ms) {
    wake_ms_ = moves_.NextAfter(now_ms);
    for (const auto& [at_ms, job] : waiting_) {
      if (at_ms <= now_ms) continue;  // it waits for nodes
      wake_ms_ = std::min(wake_ms_.value_or(at_ms), at_ms);
      return;
    }
  }

  absl::StatusOr<bool> MoveDue(Cluster& cluster) {
    bool any = false;
    for (const PlannedMoves::Move& move : moves_.Due(cluster.now_ms())) {
      const std::optional<NodeSet> nodes = NodesFor(
          plan_[move.job][move.piece], cluster, cluster.NodesOf(move.job));
      if (!nodes.has_value()) continue;
      absl::Status moved = cluster.Migrate(move.job, *nodes, migration_.cost);
      if (!moved.ok()) return moved;
      moves_.Remove(move);
      any = true;
    }
    return any;
  }

  absl::StatusOr<bool> StartDue(Cluster& cluster) {
    bool any = false;
    for (auto next = waiting_.begin(); next != waiting_.end();) {
      const JobIndex job = next->second;
      if (next->first > cluster.now_ms()) break;
      const absl::StatusOr<bool> started = StartPlanned(cluster, job);
      if (!started.ok()) return started.status();
      if (!*started) {
        ++next;
        continue;
      }
      next = waiting_.erase(next);
      for (std::size_t piece = PieceAt(job, cluster.now_ms()) + 1;
           piece < plan_[job].size(); ++piece) {
        moves_.Add({plan_[job][piece].start_ms, job, piece});
      }
      any = true;
    }
    return any;
  }

  // Available nodes of those sites: the ones that the job holds first, then
  // free ones. nullopt: there are too few.
  std::optional<NodeSet> NodesFor(const ScintRun& run, const Cluster& cluster,
                                  std::span<const NodeId> held) const {
    NodeSet nodes(setup_.machine->node_count());
    std::vector<NodeCount> left(problem_->sites().size(), 0);
    NodeCount missing = 0;
    for (const ScintPart& part : run.parts) {
      left[part.site] = part.nodes;
      missing += part.nodes;
    }
    const auto take = [&](NodeId node) {
      NodeCount& of_site = left[problem_->SiteOf(node)];
      if (of_site == 0) return;
      --of_site;
      --missing;
      nodes.Insert(node);
    };
    for (const NodeId node : held) {
      if (cluster.available().Contains(node)) take(node);
    }
    cluster.free_set().ForEach(take);
    if (missing > 0) return std::nullopt;
    return nodes;
  }

  absl::StatusOr<bool> StartPlanned(Cluster& cluster, JobIndex job) {
    const std::optional<NodeSet> nodes =
        NodesFor(plan_[job][PieceAt(job, cluster.now_ms())], cluster, {});
    if (nodes.has_value()) return cluster.Start(job, &*nodes);
    if (cluster.unavailable_nodes() == 0) return false;
    return StartAnywhere(cluster, job);
  }

  absl::StatusOr<bool> StartAnywhere(Cluster& cluster, JobIndex job) {
    NodeSet allowed(setup_.machine->node_count());
    cluster.free_set().ForEach([&](NodeId node) {
      const ScintSite& site = problem_->sites()[problem_->SiteOf(node)];
      if (problem_->Allows(problem_->jobs()[job], site)) allowed.Insert(node);
    });
    if (allowed.Count() < cluster.job(job).nodes) return false;
    return cluster.Start(job, &allowed);
  }

  const SchedulerSetup setup_;
  std::unique_ptr<const ScintProblem> problem_;  // nullptr until planned
  MigrationOptions migration_;
  MigratingPlan plan_;
  std::vector<JobIndex> arrived_;                         // since the last pass
  absl::btree_set<std::pair<TimeMs, JobIndex>> waiting_;  // by planned start
  PlannedMoves moves_;
  std::optional<TimeMs> wake_ms_;
};

}  // namespace

std::unique_ptr<Scheduler> MakeScint(const SchedulerSetup& setup) {
  return std::make_unique<Scint>(setup);
}

}  // namespace coolspan
