// SPDX-License-Identifier: GPL-3.0-or-later
// First come, first served with backfilling, and one queue for each group of
// nodes (spatio-temporal-scint, algorithms 2 and 3). A job joins the queue of
// the most efficient group, or of the group that it requires. If it cannot
// start there, it falls through: it starts in the next group, the most
// efficient one first, in which it fits now without delaying the head of the
// queue there. The head of each queue has a reservation as with easy; on a
// machine with one group the starts are those of easy. The policy places the
// job within the group.
//
// A job larger than any group that it may use waits for nodes of all groups, in
// a queue of its own.
#include <cstddef>
#include <optional>
#include <vector>

#include "absl/container/btree_set.h"
#include "replay/node_speed.h"
#include "replay/schedulers/head_reservation.h"
#include "replay/schedulers/node_groups.h"
#include "replay/schedulers/scheduler.h"

namespace coolspan {
namespace {

class FcfsGroups final : public Scheduler {
 public:
  explicit FcfsGroups(const SchedulerSetup& setup)
      : groups_(*setup.machine, setup.jobs) {}

  void Submit(JobIndex job) override { waiting_.insert(job); }
  bool empty() const override { return waiting_.empty(); }
  JobIndex head() const override { return *waiting_.begin(); }

  absl::Status Schedule(Cluster& cluster) override {
    heads_.assign(groups_.groups().size() + 1, std::nullopt);
    for (auto job = waiting_.begin();
         job != waiting_.end() && cluster.free_nodes() > 0;) {
      const absl::StatusOr<bool> started = StartSomewhere(cluster, *job);
      if (!started.ok()) return started.status();
      job = *started ? waiting_.erase(job) : std::next(job);
    }
    return absl::OkStatus();
  }

 private:
  // The index after the last group stands for the whole machine.
  const NodeGroup& GroupAt(std::size_t g) const {
    return g < groups_.groups().size() ? groups_.groups()[g] : groups_.whole();
  }
  bool Overlap(std::size_t a, std::size_t b) const {
    const std::size_t whole = groups_.groups().size();
    return a == b || a == whole || b == whole;
  }

  absl::StatusOr<bool> StartSomewhere(Cluster& cluster, JobIndex index) {
    const WorkloadJob& job = cluster.job(index);
    std::vector<std::size_t> choices = groups_.GroupsFor(job);
    if (choices.empty()) choices = {groups_.groups().size()};
    for (const std::size_t g : choices) {
      if (cluster.free_set().CountCommon(GroupAt(g).nodes) < job.nodes ||
          !LeavesHeads(cluster, index, g)) {
        continue;
      }
      absl::StatusOr<bool> started = cluster.Start(index, &GroupAt(g).nodes);
      if (!started.ok()) return started;
      if (!*started) continue;
      TakeExtra(cluster, index, g);
      return true;
    }
    std::optional<Reservation>& head = heads_[choices.front()];
    if (!head.has_value()) head = Reserve(cluster, job.nodes, choices.front());
    return false;
  }

  bool EndsBy(const Cluster& cluster, JobIndex job, std::size_t group,
              const Reservation& head) const {
    const TimeMs run_ms =
        AtSpeed(cluster.estimate_ms(job), GroupAt(group).speed);
    return run_ms <= head.shadow_ms - cluster.now_ms();
  }

  // Whether a start in the group delays no head.
  bool LeavesHeads(const Cluster& cluster, JobIndex job,
                   std::size_t group) const {
    for (std::size_t g = 0; g < heads_.size(); ++g) {
      if (!heads_[g].has_value() || !Overlap(g, group)) continue;
      if (!EndsBy(cluster, job, group, *heads_[g]) &&
          cluster.job(job).nodes > heads_[g]->extra) {
        return false;
      }
    }
    return true;
  }

  void TakeExtra(const Cluster& cluster, JobIndex job, std::size_t group) {
    for (std::size_t g = 0; g < heads_.size(); ++g) {
      if (!heads_[g].has_value() || !Overlap(g, group) ||
          EndsBy(cluster, job, group, *heads_[g])) {
        continue;
      }
      heads_[g]->extra -= cluster.job(job).nodes;
    }
  }

  Reservation Reserve(const Cluster& cluster, NodeCount nodes,
                      std::size_t group) {
    const NodeSet& pool = GroupAt(group).nodes;
    return finder_.Find(cluster, cluster.free_set().CountCommon(pool), nodes,
                        [&](const RunningJob& job) {
                          NodeCount freed = 0;
                          for (const NodeId node : cluster.NodesOf(job.job)) {
                            const bool counts =
                                pool.Contains(node) &&
                                cluster.available().Contains(node);
                            freed += counts ? 1 : 0;
                          }
                          return freed;
                        });
  }

  const NodeGroups groups_;
  absl::btree_set<JobIndex> waiting_;  // in submit order
  // Of one pass: the reservation of the head of each queue.
  std::vector<std::optional<Reservation>> heads_;
  HeadReservation finder_;
};

}  // namespace

std::unique_ptr<Scheduler> MakeFcfsGroups(const SchedulerSetup& setup) {
  return std::make_unique<FcfsGroups>(setup);
}

}  // namespace coolspan
