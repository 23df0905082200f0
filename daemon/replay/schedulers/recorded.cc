// SPDX-License-Identifier: GPL-3.0-or-later
// Starts jobs when they have started according to the trace.
#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/container/btree_set.h"
#include "replay/schedulers/scheduler.h"

namespace coolspan {
namespace {

class RecordedStarts final : public Scheduler {
 public:
  explicit RecordedStarts(const SchedulerSetup& setup) : jobs_(setup.jobs) {}

  void Submit(JobIndex job) override {
    queue_.insert({jobs_[job].recorded_start_ms, job});
  }

  // A job whose nodes are not free waits and delays no other one: each had its
  // own nodes.
  absl::Status Schedule(Cluster& cluster) override {
    now_ms_ = cluster.now_ms();
    for (auto at = queue_.begin(); at != queue_.end() && at->first <= now_ms_ &&
                                   cluster.free_nodes() > 0;) {
      if (cluster.job(at->second).nodes > cluster.free_nodes()) {
        ++at;
        continue;
      }
      const absl::StatusOr<bool> started = cluster.Start(at->second);
      if (!started.ok()) return started.status();
      at = *started ? queue_.erase(at) : std::next(at);
    }
    return absl::OkStatus();
  }

  std::optional<TimeMs> wake_ms() const override {
    // Jobs that are due wait for the end of another one.
    const auto next = queue_.lower_bound({now_ms_ + 1, 0});
    if (next == queue_.end()) return std::nullopt;
    return next->first;
  }

  bool empty() const override { return queue_.empty(); }
  JobIndex head() const override { return queue_.begin()->second; }

 private:
  const std::span<const WorkloadJob> jobs_;
  absl::btree_set<std::pair<TimeMs, JobIndex>> queue_;  // by start
  TimeMs now_ms_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> MakeRecorded(const SchedulerSetup& setup) {
  return std::make_unique<RecordedStarts>(setup);
}

}  // namespace coolspan
