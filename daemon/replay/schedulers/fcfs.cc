// SPDX-License-Identifier: GPL-3.0-or-later
#include <deque>

#include "replay/schedulers/scheduler.h"

namespace coolspan {
namespace {

class Fcfs final : public Scheduler {
 public:
  void Submit(JobIndex job) override { queue_.push_back(job); }

  absl::Status Schedule(Cluster& cluster) override {
    while (!queue_.empty() &&
           cluster.job(queue_.front()).nodes <= cluster.free_nodes()) {
      const absl::StatusOr<bool> started = cluster.Start(queue_.front());
      if (!started.ok()) return started.status();
      if (!*started) break;
      queue_.pop_front();
    }
    return absl::OkStatus();
  }

  bool empty() const override { return queue_.empty(); }
  JobIndex head() const override { return queue_.front(); }

 private:
  std::deque<JobIndex> queue_;
};

}  // namespace

std::unique_ptr<Scheduler> MakeFcfs(std::span<const WorkloadJob>) {
  return std::make_unique<Fcfs>();
}

}  // namespace coolspan
