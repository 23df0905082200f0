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

// A running job as schedulers see it, with its estimated end.
struct RunningJob {
  TimeMs estimated_end_ms;
  NodeCount nodes;
  JobIndex job;

  friend bool operator<(const RunningJob& a, const RunningJob& b) {
    return std::tie(a.estimated_end_ms, a.nodes, a.job) <
           std::tie(b.estimated_end_ms, b.nodes, b.job);
  }
};

// The nodes of a job that starts.
struct Placement {
  JobIndex job;
  AllocatorPort::Ask ask;            // the request
  const std::vector<NodeId>& nodes;  // ascending
  double decision_us;                // real time of the choice

  TimeMs start_ms() const { return ask.now_ms; }
};

// The simulated machine: its clock, running jobs and free nodes. Schedulers
// start jobs on it; the event loop moves its clock. Not thread-safe.
class Cluster {
 public:
  struct Setup {
    std::span<const WorkloadJob> jobs;
    NodeCount machine_nodes;
    std::uint64_t seed;  // with the index of a job: the seed of that job
    std::optional<float> communication_share = std::nullopt;  // of all jobs
  };
  // Called after the nodes are chosen and before they are committed, so that
  // the port can still preview other policies. Returns how the job runs there;
  // its end must fit in TimeMs.
  using OnStart = std::function<absl::StatusOr<JobRun>(const Placement&)>;
  // Called after the job has ended and before its nodes are released.
  using OnEnd = std::function<void(JobIndex job, TimeMs now_ms)>;

  // setup.jobs and port must outlive the object.
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
  // now. REQUIRES enough free nodes. Error: INVALID_ARGUMENT for a job whose
  // end does not fit in TimeMs.
  absl::StatusOr<bool> Start(JobIndex index);

  // For the event loop: the next end of a job, if one runs; and AdvanceTo,
  // which ends all jobs with an end at or before now_ms and sets the clock to
  // it.
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
