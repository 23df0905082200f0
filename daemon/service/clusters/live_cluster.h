// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_LIVE_CLUSTER_H_
#define COOLSPAN_SERVICE_CLUSTERS_LIVE_CLUSTER_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coolspan/v1/allocator.pb.h"
#include "service/clusters/decision_times.h"
#include "service/clusters/policy_rules.h"
#include "service/clusters/served_cluster.h"
#include "service/codec/event_queues.h"
#include "service/journal/journal.h"
#include "state/store.h"

namespace coolspan {

// What all live clusters of a daemon share; outlives them.
struct LiveSetting {
  std::shared_ptr<const Machine> machine;
  const PolicyRules* rules;
  Journal* journal;
  DecisionTimes* times;
  std::shared_ptr<const Policy> redline_fallback = nullptr;  // nullptr: none
};

// Of decisions, since the daemon started.
struct RedlineCounts {
  std::uint64_t guarded = 0;  // cooler nodes than the policy's
  std::uint64_t over = 0;     // over the redline all the same
};

// How long a call may take.
struct TimeLimits {
  std::chrono::steady_clock::time_point answer_by;
  // From when the policy begins.
  std::chrono::steady_clock::duration decision;
};

// A cluster on the real clock: orders its events and answers an event when the
// store has it. Thread-safe. Policies run on snapshots, outside its lock:
// events, previews and reports never wait for them. Decisions that hold nodes
// are made one at a time: two on one snapshot would choose the same nodes.
class LiveCluster {
 public:
  LiveCluster(std::string name, LiveSetting setting);

  // Takes up what a store has, on a cluster that is new. The client is asked
  // for a Sync all the same: what happened meanwhile is not in the store.
  absl::Status Restore(const StoredCluster& stored);

  // A Sync that comes once more after later events of its queue changes
  // nothing. Errors: ServedCluster::Sync's; ABORTED (another client's Sync
  // replaced its queue); UNAVAILABLE, it is not stored yet.
  absl::StatusOr<v1::SyncReply> Sync(const v1::SyncRequest& request);
  // Errors: ServedCluster::Allocate's; FAILED_PRECONDITION (another epoch, a
  // queue that a later Sync replaced); UNAVAILABLE (events up to after_sequence
  // did not come in time, or its own time passed; nothing is held).
  absl::StatusOr<v1::AllocateReply> Allocate(const v1::AllocateRequest& request,
                                             TimeLimits limits);
  // Errors: FAILED_PRECONDITION (another epoch); OUT_OF_RANGE (an event is
  // missing before it); INVALID_ARGUMENT; UNAVAILABLE, it is not stored yet:
  // to be sent again.
  absl::StatusOr<v1::EventReply> Apply(EventKind kind, const v1::Event& event);
  // Errors: ServedCluster::Preview's; FAILED_PRECONDITION (another epoch);
  // UNAVAILABLE (Allocate had no time left for it).
  absl::StatusOr<v1::AllocateReply> Preview(const v1::AllocateRequest& request,
                                            const Policy& policy,
                                            TimeLimits limits) const;

  const std::string& name() const { return name_; }
  // Synced or restored. Waits for no call.
  bool is_known() const { return is_known_; }
  v1::ClusterStatus Status() const;
  std::vector<std::shared_ptr<const Holding>> Holdings() const;
  // Lets what expired by now go, if nobody calls.
  void Tick();
  RedlineCounts redline_counts() const;
  // Adds what its jobs use of each node, by NodeId; and takes what telemetry
  // has taught. REQUIRES a machine with a room.
  void AddLoads(std::span<NodeLoad> loads) const;
  void CorrectRoom(std::shared_ptr<const InletCorrection> correction);

 private:
  // One decision at a time: from construction to the end of the scope. The lock
  // is the cluster's, and held at both.
  class Turn;
  struct Before {
    JobKey job;
    std::string decision_id;
    bool committed;
  };

  void AdvanceTo(TimeMs now_ms);
  // Applies an event if it is its queue's next one. Returns what to wait for;
  // 0: nothing. Errors: Apply's.
  absl::StatusOr<Journal::Ticket> TakeIn(EventKind kind, const v1::Event& event,
                                         v1::EventReply& reply);
  // The events that came with an Allocate; nothing of it is waited for.
  absl::Status TakeInAttached(const v1::AllocateRequest& request);
  Journal::Ticket RecordEvent(EventKind kind, const v1::Event& event,
                              const std::optional<Before>& before,
                              const ServedCluster::CommitFact& stated);
  // Errors: FAILED_PRECONDITION: another epoch, a queue that was replaced.
  absl::Status CheckCurrent(const v1::AllocateRequest& request) const;
  bool IsCompared(const Decision& decision) const;
  void RecordDecision(Decided decided, const std::optional<Before>& before);
  absl::StatusOr<Journal::Ticket> TakeSync(const v1::SyncRequest& request,
                                           v1::SyncReply& reply);
  Journal::Ticket RecordSync(const std::vector<Before>& before,
                             std::size_t disagreed);
  std::optional<Before> BeforeOf(std::uint32_t job_id) const;
  JobAfter AfterOf(std::uint32_t job_id) const;
  std::optional<Outcome> OutcomeOf(const Before& before,
                                   const char* word_when_gone) const;
  ClusterEvent New() const;

  const std::string name_;
  const LiveSetting setting_;

  // Calls of Allocate and Apply under way: previews pause for them.
  std::atomic<int> urgent_calls_ = 0;
  std::atomic<bool> is_known_ = false;
  mutable std::mutex mutex_;
  std::condition_variable changed_;  // an event was applied, a turn ended
  bool is_deciding_ = false;
  ServedCluster cluster_;
  EventQueues queues_;
  // Decision ids of tentative allocations, by job; may have stale entries.
  absl::flat_hash_map<std::uint32_t, std::string> tentative_;
  bool synced_ = false;      // since the daemon started
  bool sync_wanted_ = true;  // cleared by a Sync
  TimeMs last_sync_ms_ = 0;
  RedlineCounts redline_counts_;
  // The caller's clock and ours when it spoke last.
  TimeMs last_call_ms_ = 0;
  std::chrono::steady_clock::time_point last_call_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_LIVE_CLUSTER_H_
