// SPDX-License-Identifier: GPL-3.0-or-later
#include <optional>

#include "replay/schedulers/backfill_queue.h"
#include "replay/schedulers/head_reservation.h"
#include "replay/schedulers/scheduler.h"

namespace coolspan {
namespace {

class Easy final : public Scheduler {
 public:
  explicit Easy(const SchedulerSetup& setup)
      : queue_(setup.jobs, setup.estimates) {}

  void Submit(JobIndex job) override { queue_.Insert(job); }
  bool empty() const override { return queue_.empty(); }
  JobIndex head() const override { return queue_.head(); }

  absl::Status Schedule(Cluster& cluster) override {
    while (!queue_.empty() &&
           cluster.job(queue_.head()).nodes <= cluster.free_nodes()) {
      const absl::StatusOr<bool> started = cluster.Start(queue_.head());
      if (!started.ok()) return started.status();
      if (!*started) break;
      queue_.Erase(queue_.head());
    }
    // Backfilling needs a job behind the head and a free node.
    if (queue_.size() < 2 || cluster.free_nodes() == 0) return absl::OkStatus();
    return Backfill(cluster, reservation_.Find(cluster, cluster.free_nodes(),
                                               cluster.job(queue_.head()).nodes,
                                               [](const RunningJob& job) {
                                                 return job.nodes;
                                               }));
  }

 private:
  absl::Status Backfill(Cluster& cluster, const Reservation& reservation) {
    BackfillQueue::Limits limits{
        .free = cluster.free_nodes(),
        .extra = reservation.extra,
        .window_ms = reservation.shadow_ms - cluster.now_ms()};
    JobIndex from = queue_.head() + 1;
    while (limits.free > 0) {
      const std::optional<JobIndex> next = queue_.FirstWithin(from, limits);
      if (!next.has_value()) break;
      const absl::StatusOr<bool> started = cluster.Start(*next);
      if (!started.ok()) return started.status();
      if (*started) {
        if (cluster.estimate_ms(*next) > limits.window_ms) {
          limits.extra -= cluster.job(*next).nodes;
        }
        limits.free = cluster.free_nodes();
        queue_.Erase(*next);
      }
      from = *next + 1;
    }
    return absl::OkStatus();
  }

  BackfillQueue queue_;
  HeadReservation reservation_;
};

}  // namespace

std::unique_ptr<Scheduler> MakeEasy(const SchedulerSetup& setup) {
  return std::make_unique<Easy>(setup);
}

}  // namespace coolspan
