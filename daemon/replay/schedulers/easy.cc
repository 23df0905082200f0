// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <vector>

#include "replay/schedulers/backfill_queue.h"
#include "replay/schedulers/free_profile.h"
#include "replay/schedulers/scheduler.h"

namespace coolspan {
namespace {

// The shadow time, at which the head of the queue is expected to start, and the
// extra nodes: those it then leaves free.
struct Reservation {
  TimeMs shadow_ms;
  NodeCount extra;
};

// Adds up the nodes of running jobs by estimated end until the head fits. A job
// that has exceeded its estimate counts as ending now; several such jobs are
// sorted by size. While too many nodes are unavailable for the head, it is
// never expected to start.
class HeadReservation {
 public:
  Reservation Find(const Cluster& cluster, NodeCount head) {
    const TimeMs now_ms = cluster.now_ms();
    const auto& running = cluster.running();
    NodeCount free = cluster.free_nodes();
    overdue_.clear();
    auto next = running.begin();
    for (; next != running.end() && next->estimated_end_ms <= now_ms; ++next) {
      overdue_.push_back(next->nodes);
    }
    std::sort(overdue_.begin(), overdue_.end());
    for (const NodeCount nodes : overdue_) {
      free += nodes;
      if (free >= head) return Reservation{now_ms, free - head};
    }
    for (; next != running.end(); ++next) {
      free += next->nodes;
      if (free >= head) return Reservation{next->estimated_end_ms, free - head};
    }
    return Reservation{FreeProfile::kForeverMs, 0};
  }

 private:
  std::vector<NodeCount> overdue_;  // kept to reuse its memory
};

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
    return Backfill(
        cluster, reservation_.Find(cluster, cluster.job(queue_.head()).nodes));
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
