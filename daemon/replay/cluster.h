// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_CLUSTER_H_
#define COOLSPAN_REPLAY_CLUSTER_H_

#include <cstdint>
#include <functional>
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
  using OnStart = std::function<absl::Status(const Placement&)>;

  // All referred to must outlive it. The seed of a job is drawn from seed and
  // its index. on_start is called when the nodes are chosen and before they
  // are committed: the port can still preview other policies.
  Cluster(std::span<const WorkloadJob> jobs, NodeCount machine_nodes,
          std::uint64_t seed, AllocatorPort& port, OnStart on_start)
      : jobs_(jobs),
        free_nodes_(machine_nodes),
        seed_(seed),
        port_(port),
        on_start_(std::move(on_start)) {}

  TimeMs now_ms() const { return now_ms_; }
  NodeCount free_nodes() const { return free_nodes_; }
  // By estimated end, then size.
  const absl::btree_set<RunningJob>& running() const { return running_; }
  const WorkloadJob& job(JobIndex index) const { return jobs_[index]; }

  // Starts a job that has not run yet; false: the policy does not place it
  // now. REQUIRES enough free nodes.
  absl::StatusOr<bool> Start(JobIndex index);

  // For the event loop: when the next job ends, if one runs; ends all jobs
  // whose time has come by then and makes it now.
  bool idle() const { return ends_.empty(); }
  TimeMs next_end_ms() const { return ends_.top().first; }
  absl::Status AdvanceTo(TimeMs now_ms);

 private:
  using End = std::pair<TimeMs, RunningJob>;

  std::span<const WorkloadJob> jobs_;
  NodeCount free_nodes_;
  std::uint64_t seed_;
  AllocatorPort& port_;
  OnStart on_start_;
  TimeMs now_ms_ = 0;
  absl::btree_set<RunningJob> running_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<NodeId> chosen_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_CLUSTER_H_
