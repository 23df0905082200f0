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
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/ledger.h"
#include "core/node_set.h"
#include "core/room.h"
#include "core/types.h"
#include "replay/estimates.h"
#include "replay/input/node_events.h"
#include "replay/input/workload.h"
#include "replay/job_run.h"
#include "replay/ports/allocator_port.h"

namespace coolspan {

// A running job as schedulers see it, with its estimated end.
struct RunningJob {
  TimeMs estimated_end_ms;
  NodeCount nodes;  // that its end makes free: the available ones
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
  bool stopped_early = false;        // the choice, by the limit of its work

  TimeMs start_ms() const { return ask.now_ms; }
};

// A job that ends, and the nodes that it has held.
struct JobEnd {
  JobIndex job;
  const std::vector<NodeId>& nodes;  // ascending
  TimeMs start_ms;
  TimeMs now_ms;
  // A node has failed: the job ends before its end, and is submitted again.
  bool failed = false;
  TimeMs end_ms = now_ms;  // when it would have ended
  TimeMs submit_ms = start_ms;
  TimeMs since_ms = start_ms;  // that it has held these nodes
};

// A running job that moves to other nodes.
struct JobMove {
  JobIndex job;
  const std::vector<NodeId>& from;  // ascending, as the next ones
  const std::vector<NodeId>& to;
  TimeMs since_ms;  // that it has held the nodes of from
  TimeMs now_ms;
  NodeCount moved_nodes;  // of to, those that are not in from
  double energy_j;        // of the migration
};

// Nodes that have become unavailable, or available again.
struct NodesChange {
  TimeMs now_ms;
  std::span<const NodeId> nodes;  // ascending
  bool returned;
};

// The simulated machine: its clock, running jobs and free nodes. Schedulers
// start jobs on it; the event loop moves its clock. Not thread-safe.
class Cluster {
 public:
  struct Setup {
    std::span<const WorkloadJob> jobs;
    Estimates& estimates;  // of the jobs
    NodeCount machine_nodes;
    bool has_node_events = false;  // else Change is not called
    std::uint64_t seed;  // with the index of a job: the seed of that job
    std::optional<float> communication_share = std::nullopt;  // of all jobs
    const Room* room = nullptr;  // has the speeds of the nodes; nullptr: all 1
  };
  // Called after the nodes are chosen and before they are committed, so that
  // the port can still preview other policies. Returns how the job runs there;
  // its end must fit in TimeMs.
  using OnStart = std::function<absl::StatusOr<JobRun>(const Placement&)>;
  // Called when nodes have become unavailable or have returned, before the jobs
  // on failed nodes end.
  using OnChange = std::function<void(const NodesChange& change)>;
  // Called after the job has ended and before its nodes are released.
  using OnEnd = std::function<void(const JobEnd& end)>;
  // Called when a job has moved.
  using OnMove = std::function<void(const JobMove& move)>;
  // Called when a job has arrived and before the next scheduling pass.
  using OnSubmit = std::function<void(JobIndex job, TimeMs now_ms)>;

  // setup.jobs, setup.estimates and port must outlive the object.
  Cluster(const Setup& setup, AllocatorPort& port, OnStart on_start,
          OnEnd on_end, OnSubmit on_submit = nullptr,
          OnChange on_change = nullptr, OnMove on_move = nullptr);

  TimeMs now_ms() const { return now_ms_; }
  NodeCount free_nodes() const { return free_nodes_; }  // and available
  const NodeSet& free_set() const { return free_; }     // the same
  NodeCount unavailable_nodes() const { return unavailable_nodes_; }
  const NodeSet& available() const { return available_; }  // free or not
  // By estimated end, then size.
  const absl::btree_set<RunningJob>& running() const { return running_; }
  const WorkloadJob& job(JobIndex index) const { return setup_.jobs[index]; }
  TimeMs estimate_ms(JobIndex index) const {
    return setup_.estimates.Of(index);
  }
  // The nodes of a running job, ascending.
  std::span<const NodeId> NodesOf(JobIndex index) const {
    return runs_.find(index)->second.nodes;
  }
  // Jobs have exceeded their estimates, and are now expected to end later.
  bool has_corrected() const { return has_corrected_; }
  // Those that ended when the clock was set, in the order of their ends.
  std::span<const JobIndex> ended() const { return ended_; }

  // Starts a job that does not run; false: the policy does not place it
  // now. within: the nodes to choose from; nullptr: all. REQUIRES enough free
  // nodes within it. Error: INVALID_ARGUMENT for a job whose end does not fit
  // in TimeMs.
  absl::StatusOr<bool> Start(JobIndex index, const NodeSet* within = nullptr);

  // The job ends then and not when its run said, for example because the jobs
  // beside it changed. Its estimated end stays. REQUIRES a running job and a
  // time that is not in the past.
  void MoveEnd(JobIndex index, TimeMs end_ms);

  // What a migration costs (spatio-temporal-scint, equation 9).
  struct MigrationCost {
    TimeMs pause_ms = 0;    // t^mig: for so long the job does not progress
    double j_per_node = 0;  // P^mig t^mig, for each node that it moves to
  };
  // The job goes on on these nodes, from now on at their speed. REQUIRES a
  // running job and as many nodes as it has, available and free or held by it.
  absl::Status Migrate(JobIndex index, const NodeSet& to,
                       const MigrationCost& cost);

  // For the event loop: Submitted reports a job that arrives now. The next end
  // of a job, if one runs; and AdvanceTo, which ends all jobs with an end at or
  // before now_ms and sets the clock to it.
  void Submitted(JobIndex index) {
    if (on_submit_ != nullptr) on_submit_(index, now_ms_);
  }
  bool idle() const { return running_.empty(); }
  TimeMs next_end_ms() const { return ends_.top().first; }
  absl::Status AdvanceTo(TimeMs now_ms);
  // Nodes become unavailable or return; appends the jobs that end because a
  // node of theirs has failed to failed.
  absl::Status Change(const NodeEvent& event, std::vector<JobIndex>& failed);

 private:
  using End = std::pair<TimeMs, RunningJob>;
  struct Run {
    TimeMs start_ms;
    TimeMs end_ms;
    RunningJob job;
    std::vector<NodeId> nodes;
    TimeMs since_ms = start_ms;   // on these nodes
    TimeMs paused_ms = start_ms;  // it stands still until then
    std::optional<float> communication_share = std::nullopt;
  };
  // What a run time at speed 1 becomes on these nodes.
  TimeMs OnNodes(TimeMs estimate_ms, std::span<const NodeId> nodes) const;
  absl::Status EndJob(JobIndex index, bool failed);
  JobKey KeyOf(JobIndex index) const;
  void SetHeld(const std::vector<NodeId>& nodes, JobIndex index);
  void SetFree(const std::vector<NodeId>& nodes);
  void DropMovedEnds();
  void CorrectEstimates();
  void Replace(Run& run, const RunningJob& job);

  Setup setup_;
  NodeCount free_nodes_;
  NodeCount unavailable_nodes_ = 0;
  NodeSet available_;
  NodeSet free_;    // of free_nodes_
  NodeSet within_;  // the nodes to choose from in one Start
  // With node events, the job on each node; kNoJob: none.
  std::vector<JobIndex> job_on_;
  absl::flat_hash_map<JobIndex, std::uint32_t> restarts_;  // of failed jobs
  AllocatorPort& port_;
  OnStart on_start_;
  OnEnd on_end_;
  OnSubmit on_submit_;  // may be empty
  OnChange on_change_;  // may be empty
  OnMove on_move_;      // may be empty
  TimeMs now_ms_ = 0;
  absl::btree_set<RunningJob> running_;
  absl::flat_hash_map<JobIndex, Run> runs_;  // of running_
  // Ends that were moved stay until they are first.
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<JobIndex> ended_;
  bool has_corrected_ = false;
  std::vector<NodeId> chosen_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_CLUSTER_H_
