// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_LIVE_CLUSTER_H_
#define COOLSPAN_SERVICE_CLUSTERS_LIVE_CLUSTER_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coolspan/v1/allocator.pb.h"
#include "service/clusters/decision_config.h"
#include "service/clusters/decision_queue.h"
#include "service/clusters/decision_times.h"
#include "service/clusters/mapping_thread.h"
#include "service/clusters/served_cluster.h"
#include "service/codec/event_queues.h"
#include "service/journal/journal.h"
#include "state/decision_archive.h"
#include "state/leadership.h"
#include "state/ledger_store.h"
#include "state/tenure.h"

namespace coolspan {

// Shared by all live clusters of a daemon; must outlive them.
struct LiveSetting {
  std::shared_ptr<const Machine> machine;
  const CurrentConfig* config;
  Journal* journal;
  DecisionTimes* times;
  // RetentionClock's, for the time of the last contact; nullptr: not noted.
  std::function<TimeMs()> clock_ms = nullptr;
  // nullptr: this is the only daemon.
  Leadership* leadership = nullptr;
};

// Numbers of decisions since daemon start.
struct RedlineCounts {
  std::uint64_t guarded = 0;  // nodes chosen by the redline guard
  std::uint64_t over = 0;     // predicted to exceed the redline
};

// Controls a search that others may interrupt.
struct SearchControl {
  // The clock of TimeLimits.decision.
  std::function<std::chrono::steady_clock::time_point()> now =
      &std::chrono::steady_clock::now;
  // Called between portions of work; true ends the search early.
  std::function<bool()> stop = nullptr;
};

// What a restored cluster lacks of its stored jobs, because nodes are not in
// the machine file.
struct RestoreLosses {
  std::size_t jobs = 0;     // stored, committed
  std::size_t gone = 0;     // of them without any known node
  std::size_t reduced = 0;  // of them without some of their nodes
  // Nodes that the machine file lacked at the last Sync and has now: what was
  // stored of jobs on them is not known.
  std::size_t new_nodes = 0;
  std::vector<std::string> unknown_nodes = {};  // unique, sorted
};

// A cluster on the real clock. Applies the events of a queue in order, and
// acknowledges an event once it is stored. Thread-safe. Policies run on
// snapshots, outside the lock, so events, previews and reports do not wait for
// them. Decisions that hold nodes are made one at a time, on a thread of the
// cluster's own: two on one snapshot would choose the same nodes.
class LiveCluster {
 public:
  // How far the clock of a call may be ahead of what it must be about by the
  // time that has passed since the last one.
  static constexpr TimeMs kMaxAheadMs = 300'000;

  // tenure: in which the cluster is decided for; nullptr: of the only daemon.
  LiveCluster(std::string name, LiveSetting setting,
              std::shared_ptr<Tenure> tenure = nullptr);
  // Ends waiting calls, after the decision in progress.
  ~LiveCluster();
  LiveCluster(const LiveCluster&) = delete;
  LiveCluster& operator=(const LiveCluster&) = delete;

  // Restores a stored cluster. REQUIRES a new cluster. A Sync is still
  // requested from the client: events during the downtime are not in the store.
  // If jobs are missing, in the store or by the machine file, there are no
  // decisions before it. recent_starts: DecisionArchive::RecentStartsOf's.
  absl::StatusOr<RestoreLosses> Restore(
      const StoredCluster& stored, std::span<const StoredStart> recent_starts);

  // A repeated Sync is ignored after later events of its queue. Errors:
  // ServedCluster::Sync's; ABORTED (queue closed by the Sync of another
  // client); UNAVAILABLE (not stored yet).
  absl::StatusOr<v1::SyncReply> Sync(const v1::SyncRequest& request);
  // What was lost: a warning for operators until a Sync has the whole state.
  void WarnUntilSync(std::string warning);
  // Empty: none.
  std::string warning() const;

  // Calls done with the answer, from the thread of decisions, a thread of the
  // journal or at once. The request must live until then. Errors:
  // ServedCluster::Allocate's; FAILED_PRECONDITION (another epoch, a queue
  // closed by a later Sync); UNAVAILABLE (events up to after_sequence not
  // received in time, or deadline exceeded; or the answer cannot be stored: its
  // nodes are held until it expires); CANCELLED (has_left returned true: the
  // client waits no longer); RESOURCE_EXHAUSTED (too many calls wait);
  // INTERNAL (the policy threw an exception).
  void Allocate(const v1::AllocateRequest& request, TimeLimits limits,
                std::function<bool()> has_left, DecisionQueue::Done done);
  // Errors: FAILED_PRECONDITION (another epoch); OUT_OF_RANGE (an earlier event
  // is missing); INVALID_ARGUMENT; UNAVAILABLE (not stored yet; the client
  // retries).
  absl::StatusOr<v1::EventReply> Apply(EventKind kind, const v1::Event& event);
  // The same without waiting for the store: calls done with the result, from a
  // thread of the journal or at once.
  void Apply(EventKind kind, const v1::Event& event,
             std::function<void(absl::StatusOr<v1::EventReply>)> done);
  // Error: INVALID_ARGUMENT (bitmap).
  absl::StatusOr<v1::KeepAliveReply> KeepAlive(
      const v1::KeepAliveRequest& request);
  // Errors: ServedCluster::Decode's, CheckCall's and Decide's;
  // FAILED_PRECONDITION (another epoch).
  absl::StatusOr<v1::AllocateReply> Preview(const v1::AllocateRequest& request,
                                            const Policy& policy,
                                            TimeLimits limits,
                                            SearchControl control = {}) const;

  // The nodes that a job holds. Error: NOT_FOUND.
  absl::StatusOr<std::vector<NodeId>> NodesOf(std::uint32_t job_id) const;

  // Sets the mode from the next decision on; nullopt: the client's. Returns the
  // earlier one once the new one is stored. Error: UNAVAILABLE (not stored
  // yet; the new mode applies).
  absl::StatusOr<std::optional<PlacementMode>> SetMode(
      std::optional<PlacementMode> mode);

  // Ends the cluster: all later calls are refused with FAILED_PRECONDITION.
  // Returns the number of jobs with allocations, and the ticket of the removal.
  // Errors: FAILED_PRECONDITION (in contact during the last minute, or running
  // jobs, unless is_forced; already ended).
  struct Ended {
    std::size_t jobs = 0;
    Journal::Ticket ticket = 0;
  };
  absl::StatusOr<Ended> End(const std::string& why, bool is_forced);
  // Whether no client was in contact since the time, and the jobs that it left
  // have reached their time limits.
  bool IsForgotten(TimeMs heard_before_ms) const;

  // The tenure is over: all calls that wait, and later ones, are refused with
  // NotLeaderError.
  void EndTenure();
  // Whether answers may leave now. Error: NotLeaderError.
  absl::Status CheckTenure() const;
  // 0 without an election.
  std::uint64_t term() const {
    return tenure_ == nullptr ? 0 : tenure_->term();
  }
  const std::shared_ptr<Tenure>& tenure() const { return tenure_; }

  // Searches of decisions end early from now on, with the best so far.
  void Hurry() { is_hurried_ = true; }

  const std::string& name() const { return name_; }
  // Synced or restored. Does not take the lock.
  bool is_known() const { return is_known_; }
  v1::ClusterStatus Status() const;
  std::vector<std::shared_ptr<const Holding>> Holdings() const;
  NodeSet unavailable() const;
  // Expires tentative allocations while there are no calls, and ends calls that
  // have waited too long behind a decision.
  void Tick();
  // Waits for the lock that each decision takes. Error: UNAVAILABLE (a decision
  // takes longer than max_decision).
  absl::Status CheckResponsive(
      std::chrono::steady_clock::duration max_decision) const;
  RedlineCounts redline_counts() const;
  // Adds the load of its jobs to loads, by NodeId; sets the inlet correction
  // learned from telemetry. REQUIRES a machine with a room.
  void AddLoads(std::span<NodeLoad> loads) const;
  void CorrectRoom(std::shared_ptr<const InletCorrection> correction);

 private:
  // Excludes other decisions until the end of the scope. The cluster's lock is
  // held at construction and destruction.
  class DecisionScope;
  // The decision behind a job's holding before a change.
  struct PriorDecision {
    JobKey job;
    std::string decision_id;
    bool committed;
  };

  struct Answer {
    DecisionPtr decision;
    double elapsed_us;
    Journal::Ticket ticket;  // of the decision, or a later one
  };

  // CheckTenure, for when this object may be gone.
  std::function<absl::Status()> TenureCheck() const;
  // Journal::Wait, then CheckTenure.
  absl::Status WaitForStore(Journal::Ticket ticket) const;
  // All but the counts of holdings and the free space. Returns the free nodes.
  // REQUIRES mutex_.
  NodeSet FillStatus(v1::ClusterStatus& status) const;
  void AdvanceTo(TimeMs now_ms);
  // Stores, once an hour, that the client was in contact.
  void TrackContact();
  // Error: FAILED_PRECONDITION (End was called).
  absl::Status CheckServed() const;
  // The client's clock by the time that has passed since its last call; 0: not
  // known.
  TimeMs ClientTimeMs() const;
  // Applies an event if it is the next of its queue. Returns the ticket to wait
  // for; 0: none. Errors: Apply's.
  absl::StatusOr<Journal::Ticket> ApplyNext(EventKind kind,
                                            const v1::Event& event,
                                            v1::EventReply& reply);
  // Apply without the store.
  absl::StatusOr<Journal::Ticket> ApplyToLedger(EventKind kind,
                                                const v1::Event& event,
                                                v1::EventReply& reply);
  // The event is the next of its queue.
  absl::StatusOr<Journal::Ticket> ApplyAndRecord(EventKind kind,
                                                 const v1::Event& event);
  // Applies the events attached to an Allocate, without waiting for the store.
  absl::Status ApplyAttached(const v1::AllocateRequest& request);
  Journal::Ticket RecordEvent(JobEvent job_event, const v1::Event& event,
                              const std::optional<PriorDecision>& before,
                              const std::vector<JobKey>& disputed);
  // What is known before and after the commit of an advised job; nothing if its
  // decision is no longer held, or too much is queued for comparison.
  std::optional<Advice> AdviceBefore(const std::optional<v1::JobStart>& start,
                                     JobKey job) const;
  std::shared_ptr<const Advice> AdviceAfter(std::optional<Advice> advice) const;
  // Error: FAILED_PRECONDITION (ended, another epoch, a closed queue).
  absl::Status CheckCurrent(const v1::AllocateRequest& request) const;
  // Whether the events before it are applied. Error: CheckCurrent's.
  absl::StatusOr<bool> IsReady(const v1::AllocateRequest& request) const;
  // The thread of decisions.
  void RunDecisions();
  // Waits for a call that may be decided; nullopt: the cluster is destroyed.
  std::optional<DecisionQueue::Call> NextCall(
      std::unique_lock<std::mutex>& lock);
  void AnswerCall(DecisionQueue::Call call, std::unique_lock<std::mutex>& lock);
  void MapAndReply(Answer answer, std::shared_ptr<const NodeTable> table,
                   v1::AllocateReply reply, DecisionQueue::Call call);
  // Replies once the answer is in the ledger's store.
  void ReplyOnceStored(Journal::Ticket ticket, v1::AllocateReply reply,
                       DecisionQueue::Call call);
  absl::StatusOr<Answer> DecideAndHold(const DecisionQueue::Call& queued,
                                       PlacementMode mode,
                                       std::unique_lock<std::mutex>& lock);
  // Has the waiting calls looked at. REQUIRES mutex_.
  void NoteChange();
  // Tick continues the client's clock from here.
  void NoteCall(TimeMs now_ms);
  void NoteContact();
  // Error: INVALID_ARGUMENT (not a mode). REQUIRES mutex_.
  absl::StatusOr<PlacementMode> ModeOf(const v1::AllocateRequest& request,
                                       PlacementMode max) const;
  bool IsCompared(const Decision& decision,
                  const ReferencePolicies& references) const;
  Journal::Ticket RecordDecision(Decided decided,
                                 const std::optional<PriorDecision>& before);
  absl::StatusOr<Journal::Ticket> ApplySync(const v1::SyncRequest& request,
                                            v1::SyncReply& reply);
  // The starts in a Sync that are not recorded yet. Call before the Sync is
  // applied.
  std::vector<JobEvent> NewStarts(const v1::SyncRequest& request) const;
  // Adds the starts of the jobs that hold nodes after the Sync to the recent
  // ones.
  void AddStarts(const std::vector<JobEvent>& starts, TimeMs now_ms);
  Journal::Ticket RecordSync(const std::vector<PriorDecision>& before,
                             std::size_t disagreed,
                             std::vector<JobEvent> starts);
  std::optional<PriorDecision> PriorDecisionOf(std::uint32_t job_id) const;
  bool IsDisputed(std::uint32_t job_id) const;
  bool IsSyncWanted(TimeMs now_ms) const;
  JobAfter AfterOf(std::uint32_t job_id) const;
  std::optional<Outcome> OutcomeOf(const PriorDecision& before,
                                   const char* word_if_gone) const;
  ClusterEvent NewEvent() const;

  const std::string name_;
  const LiveSetting setting_;
  const std::shared_ptr<Tenure> tenure_;  // nullptr: of the only daemon
  const std::optional<std::chrono::steady_clock::time_point> tenure_since_;

  std::atomic<bool> is_known_ = false;
  std::atomic<bool> is_hurried_ = false;
  mutable std::mutex mutex_;
  DecisionQueue waiting_;
  std::condition_variable work_;  // for the thread of decisions
  bool is_stopping_ = false;
  bool is_deciding_ = false;
  std::chrono::steady_clock::time_point deciding_since_;
  bool is_clock_known_ = false;  // false: not since the daemon started
  ServedCluster cluster_;
  EventQueues queues_;
  // Decision ids of tentative allocations, by job; may have stale entries.
  absl::flat_hash_map<std::uint32_t, std::string> tentative_;
  bool synced_ = false;         // since the daemon started
  bool needs_sync_ = true;      // cleared by a Sync
  bool is_incomplete_ = false;  // cleared by a Sync
  bool is_incomplete_stored_ = false;
  bool has_new_dispute_ = false;  // cleared by a Sync
  bool sync_had_disputes_ = false;
  bool is_ended_ = false;
  TimeMs last_sync_ms_ = 0;
  std::optional<PlacementMode> mode_;         // nullopt: the client's
  std::optional<PlacementMode> client_mode_;  // nullopt: unknown
  RedlineCounts redline_counts_;
  std::optional<v1::ClientCounts> client_counts_;  // of the last KeepAlive
  // The client's and our clock at its last call.
  TimeMs last_call_ms_ = 0;
  std::chrono::steady_clock::time_point last_call_;
  // Nullopt: none since the daemon started.
  std::optional<std::chrono::steady_clock::time_point> last_contact_;
  // The contact that heard_ms_ is of; the time that is stored.
  std::optional<std::chrono::steady_clock::time_point> heard_contact_;
  TimeMs heard_ms_ = 0;  // 0: not known
  TimeMs stored_heard_ms_ = 0;
  std::string warning_;  // empty: none
  // Last: they use the members above.
  MappingThread mapping_;
  std::thread decider_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_LIVE_CLUSTER_H_
