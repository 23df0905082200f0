// SPDX-License-Identifier: GPL-3.0-or-later
// Schedulers that start waiting jobs in the order of a key, without
// backfilling: the priority queues of joint-allocation-sst, section 5.2, and
// the scheduler of Cplant (cpa-rd100-cplant-bender, section 3).
#include <cmath>
#include <cstdint>
#include <tuple>

#include "absl/container/btree_set.h"
#include "replay/schedulers/scheduler.h"

namespace coolspan {
namespace {

// The smallest key is first in the queue; equal ones are in submit order.
struct Key {
  std::int64_t first;
  std::int64_t second;
  JobIndex job;

  friend bool operator<(const Key& a, const Key& b) {
    return std::tie(a.first, a.second, a.job) <
           std::tie(b.first, b.second, b.job);
  }
};
using KeyOf = Key (*)(JobIndex index, const WorkloadJob& job,
                      TimeMs estimate_ms);

class OrderedQueue : public Scheduler {
 public:
  OrderedQueue(const SchedulerSetup& setup, KeyOf key_of)
      : jobs_(setup.jobs), estimates_(setup.estimates), key_of_(key_of) {}

  void Submit(JobIndex job) override {
    queue_.insert(key_of_(job, jobs_[job], estimates_.Of(job)));
  }

  absl::Status Schedule(Cluster& cluster) override {
    while (!queue_.empty() &&
           cluster.job(head()).nodes <= cluster.free_nodes()) {
      const absl::StatusOr<bool> started = cluster.Start(head());
      if (!started.ok()) return started.status();
      if (!*started) break;
      queue_.erase(queue_.begin());
    }
    return absl::OkStatus();
  }

  bool empty() const override { return queue_.empty(); }
  JobIndex head() const override { return queue_.begin()->job; }

 private:
  const std::span<const WorkloadJob> jobs_;
  const Estimates& estimates_;
  const KeyOf key_of_;
  absl::btree_set<Key> queue_;
};

// Makes a pass only at multiples of an interval.
class PollingQueue final : public OrderedQueue {
 public:
  PollingQueue(const SchedulerSetup& setup, KeyOf key_of, TimeMs interval_ms)
      : OrderedQueue(setup, key_of), interval_ms_(interval_ms) {}

  absl::Status Schedule(Cluster& cluster) override {
    const TimeMs now_ms = cluster.now_ms();
    // The remainder of a time before 0 is negative.
    const TimeMs since_poll_ms =
        (now_ms % interval_ms_ + interval_ms_) % interval_ms_;
    if (since_poll_ms == 0) {
      next_poll_ms_ = std::nullopt;  // until something changes
      return OrderedQueue::Schedule(cluster);
    }
    next_poll_ms_ = now_ms - since_poll_ms + interval_ms_;
    return absl::OkStatus();
  }
  std::optional<TimeMs> wake_ms() const override {
    return empty() ? std::nullopt : next_poll_ms_;
  }

 private:
  const TimeMs interval_ms_;
  std::optional<TimeMs> next_poll_ms_;
};

}  // namespace

std::unique_ptr<Scheduler> MakeFcfs(const SchedulerSetup& setup) {
  return std::make_unique<OrderedQueue>(
      setup, [](JobIndex index, const WorkloadJob&, TimeMs) {
        return Key{0, 0, index};
      });
}

std::unique_ptr<Scheduler> MakeSjf(const SchedulerSetup& setup) {
  return std::make_unique<OrderedQueue>(
      setup, [](JobIndex index, const WorkloadJob&, TimeMs estimate_ms) {
        return Key{estimate_ms, 0, index};
      });
}

std::unique_ptr<Scheduler> MakeLongestFirst(const SchedulerSetup& setup) {
  return std::make_unique<OrderedQueue>(
      setup, [](JobIndex index, const WorkloadJob&, TimeMs estimate_ms) {
        return Key{-estimate_ms, 0, index};
      });
}

std::unique_ptr<Scheduler> MakeWidestFirst(const SchedulerSetup& setup) {
  return std::make_unique<OrderedQueue>(
      setup, [](JobIndex index, const WorkloadJob& job, TimeMs) {
        return Key{-std::int64_t{job.nodes}, 0, index};
      });
}

std::unique_ptr<Scheduler> MakeNarrowestFirst(const SchedulerSetup& setup) {
  return std::make_unique<OrderedQueue>(
      setup, [](JobIndex index, const WorkloadJob& job, TimeMs) {
        return Key{std::int64_t{job.nodes}, 0, index};
      });
}

std::unique_ptr<Scheduler> MakeBetterFit(const SchedulerSetup& setup) {
  return std::make_unique<OrderedQueue>(
      setup, [](JobIndex index, const WorkloadJob& job, TimeMs estimate_ms) {
        return Key{-std::int64_t{job.nodes}, -estimate_ms, index};
      });
}

std::unique_ptr<Scheduler> MakeEdf(const SchedulerSetup& setup) {
  return std::make_unique<OrderedQueue>(
      setup, [](JobIndex index, const WorkloadJob& job, TimeMs) {
        return Key{job.deadline_ms, 0, index};
      });
}

std::unique_ptr<Scheduler> MakeCplant(const SchedulerSetup& setup) {
  const double interval_ms =
      setup.values.at("poll") * static_cast<double>(kMsPerSecond);
  return std::make_unique<PollingQueue>(
      setup,
      [](JobIndex index, const WorkloadJob& job, TimeMs estimate_ms) {
        return Key{std::int64_t{job.nodes}, estimate_ms, index};
      },
      std::llround(interval_ms));
}

}  // namespace coolspan
