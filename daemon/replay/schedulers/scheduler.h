// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_SCHEDULERS_SCHEDULER_H_
#define COOLSPAN_REPLAY_SCHEDULERS_SCHEDULER_H_

#include <memory>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "replay/cluster.h"
#include "replay/workload.h"

namespace coolspan {

// Decides when queued jobs start. Deterministic; one for each run. Not
// thread-safe.
class Scheduler {
 public:
  virtual ~Scheduler() = default;

  // A job arrives. REQUIRES a higher index than any before.
  virtual void Submit(JobIndex job) = 0;
  // One pass: starts the jobs that may start now. Errors: Cluster::Start's.
  virtual absl::Status Schedule(Cluster& cluster) = 0;
  // Whether the queue is empty, and its head.
  virtual bool empty() const = 0;
  virtual JobIndex head() const = 0;  // REQUIRES !empty()
};

struct SchedulerEntry {
  std::string_view name;
  std::string_view help;
  // jobs outlives the scheduler.
  std::unique_ptr<Scheduler> (*make)(std::span<const WorkloadJob> jobs);
};
// All schedulers; a new one is a file, its make function below and an
// entry in table.cc.
std::span<const SchedulerEntry> SchedulerTable();

// Error: INVALID_ARGUMENT for an unknown name, with known ones.
absl::StatusOr<const SchedulerEntry*> FindScheduler(std::string_view name);

std::unique_ptr<Scheduler> MakeFcfs(std::span<const WorkloadJob> jobs);
std::unique_ptr<Scheduler> MakeEasy(std::span<const WorkloadJob> jobs);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_SCHEDULERS_SCHEDULER_H_
