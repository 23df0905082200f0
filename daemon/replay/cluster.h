// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_CLUSTER_H_
#define COOLSPAN_REPLAY_CLUSTER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/types.h"
#include "replay/allocator_port.h"
#include "replay/job_run.h"
#include "replay/workload.h"

namespace coolspan {

// A job that runs, as the schedulers know it: by its estimate.
struct RunningJob {
  TimeMs estimated_end_ms;
  NodeCount nodes;
  JobIndex job;

  friend bool operator<(const RunningJob& a, const RunningJob& b) {
    return std::tie(a.estimated_end_ms, a.nodes, a.job) <
           std::tie(b.estimated_end_ms, b.nodes, b.job);
  }
};

// What a job gets that starts.
struct Placement {
  JobIndex job;
  AllocatorPort::Ask ask;            // that the nodes answer
  const std::vector<NodeId>& nodes;  // ascending
  double decision_us;                // real time the choice took

  TimeMs start_ms() const { return ask.now_ms; }
};

// The simulated machine: its clock, what runs on it, what is free. Schedulers
// see it and start jobs on it; the event loop moves its clock. Not thread-safe.
class Cluster {
 public:
  struct Setup {
    std::span<const WorkloadJob> jobs;
    NodeCount machine_nodes;
    std::uint64_t seed;  // that of a job is drawn from it and its index
    std::optional<float> communication_share = std::nullopt;  // of all jobs
  };
  // When the nodes are chosen and before they are committed: the port can still
  // preview other policies. Says how the job runs there, to an end that a
  // TimeMs can say.
  using OnStart = std::function<absl::StatusOr<JobRun>(const Placement&)>;
  // When the job has ended and before its nodes are released.
  using OnEnd = std::function<void(JobIndex job, TimeMs now_ms)>;

  // All referred to must outlive it.
  Cluster(const Setup& setup, AllocatorPort& port, OnStart on_start,
          OnEnd on_end)
      : setup_(setup),
        free_nodes_(setup.machine_nodes),
        port_(port),
        on_start_(std::move(on_start)),
        on_end_(std::move(on_end)) {}

  TimeMs now_ms() const { return now_ms_; }
  NodeCount free_nodes() const { return free_nodes_; }
  // By estimated end, then size.
  const absl::btree_set<RunningJob>& running() const { return running_; }
  const WorkloadJob& job(JobIndex index) const { return setup_.jobs[index]; }

  // Starts a job that has not run yet; false: the policy does not place it
  // now. REQUIRES enough free nodes. Error: INVALID_ARGUMENT for a job that
  // would end beyond all times.
  absl::StatusOr<bool> Start(JobIndex index);

  // For the event loop: when the next job ends, if one runs; ends all jobs
  // whose time has come by then and makes it now.
  bool idle() const { return ends_.empty(); }
  TimeMs next_end_ms() const { return ends_.top().first; }
  absl::Status AdvanceTo(TimeMs now_ms);

 private:
  using End = std::pair<TimeMs, RunningJob>;

  Setup setup_;
  NodeCount free_nodes_;
  AllocatorPort& port_;
  OnStart on_start_;
  OnEnd on_end_;
  TimeMs now_ms_ = 0;
  absl::btree_set<RunningJob> running_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<NodeId> chosen_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_CLUSTER_H_
