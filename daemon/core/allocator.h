// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_ALLOCATOR_H_
#define COOLSPAN_CORE_ALLOCATOR_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/budget.h"
#include "core/decision/decision.h"
#include "core/ledger.h"
#include "core/machine.h"
#include "core/machine_snapshot.h"
#include "core/recent_starts.h"

namespace coolspan {

using DecisionPtr = std::shared_ptr<const Decision>;

// Makes decisions and maintains the ledger, for the daemon, the command line
// and replay. Not thread-safe: a service serialises its calls. Each call
// carries the caller's time; only SetClock sets it back (otherwise an earlier
// time than the latest one seen counts as the latest).
//
// A service decides without holding its lock: Begin and SnapshotFor under the
// lock, Decide outside, Hold under the lock. Allocate does the same in one
// step.
//
// Answers are kept for kRememberMs, whatever happens to their nodes, and are
// rebuilt from the holding after that. Facts (Commit, Resize, Suspend, Release)
// about an earlier run than the latest one seen are ignored.
class Allocator {
 public:
  static constexpr TimeMs kTentativeMs = 10'000;
  static constexpr TimeMs kRememberMs = 60'000;

  // capacity: units of each node (0 counts as 1); empty: one unit per node.
  explicit Allocator(std::shared_ptr<const Machine> machine,
                     std::vector<Units> capacity = {});

  const Machine& machine() const { return *machine_; }
  const Ledger& ledger() const { return ledger_; }
  TimeMs now_ms() const { return now_ms_; }

  // Places a job and holds the nodes tentatively for kTentativeMs: whole nodes,
  // or for a shared request the units of UnitsTaken. A repeat of (job, restart,
  // attempt) gets the same answer, committed in between or not, and does not
  // extend the hold; if the hold has expired and its nodes are free, they are
  // held again. A new attempt replaces the job's earlier tentative allocation,
  // placed or not; a new run releases the nodes of the earlier run.
  // Errors: CheckCall's and Decide's (nothing is held);
  // ABORTED (an older attempt or run than the latest seen; a repeat of which
  // the nodes expired and are held by another job, or the run was released);
  // FAILED_PRECONDITION (this run already holds nodes, committed in another
  // attempt).
  absl::StatusOr<DecisionPtr> Allocate(const AllocateCall& call,
                                       const DecidingPolicies& policies,
                                       Budget& budget);

  // The steps of Allocate, for one call at a time. Begin returns the answer to
  // a repeat, or nullptr if a decision is needed; it keeps the holding of an
  // earlier attempt. Errors: Allocate's, except Decide's.
  absl::StatusOr<DecisionPtr> Begin(const AllocateCall& call);
  // The machine for this call: holdings that the new attempt replaces, or that
  // expire by the call's time, count as free. Changes nothing.
  MachineSnapshot SnapshotFor(const AllocateCall& call) const;
  // Holds a decision made on SnapshotFor, after Begin. Returns nullptr if its
  // nodes have been taken since: decide again.
  // Errors: ABORTED, FAILED_PRECONDITION: Allocate's.
  absl::StatusOr<DecisionPtr> Hold(const AllocateCall& call, Decision decision);

  // The answer of Allocate to a new attempt; changes nothing.
  // Errors: CheckCall's, Decide's.
  absl::StatusOr<Decision> Preview(const AllocateCall& call,
                                   const DecidingPolicies& policies,
                                   Budget& budget) const;
  // The current state of the machine.
  MachineSnapshot Snapshot() const;

  // The job runs on these nodes. Idempotent, never refused.
  struct CommitResult {
    bool as_decided = false;       // the nodes of its tentative allocation
    std::vector<JobKey> disputed;  // jobs that became disputed
  };
  struct Fact {
    JobKey job;
    bool whole = true;
    std::vector<NodeId> nodes;  // ascending
    std::vector<Units> units;   // as nodes; empty for whole nodes
    bool suspended = false;
    // Share of its time that the job communicates; none: as requested.
    std::optional<float> communication_share;
    // kUnknownEnd: as requested, or as before; kNotLimited: unknown now.
    static constexpr TimeMs kNotLimited = -1;
    TimeMs expected_end_ms = kUnknownEnd;
  };
  CommitResult Commit(Fact fact, TimeMs now_ms);
  // The job has these nodes now; units as in Commit. A job without a holding
  // gets one: the resource manager is the source of truth.
  CommitResult Resize(Fact fact, TimeMs now_ms);
  std::vector<JobKey> Suspend(JobKey job, bool suspended, TimeMs now_ms);
  // The run has ended. No effect if a later run holds the nodes, or the job has
  // no holding. Returns whether a holding was released.
  bool Release(JobKey job, TimeMs now_ms);

  // Replaces the committed holdings by those of the resource manager; tentative
  // holdings are kept if they do not conflict. A listed run is the job's
  // latest, whatever was seen before. Returns the jobs committed before that
  // are not listed, or are listed with other nodes.
  std::vector<JobKey> Sync(std::vector<Units> capacity, std::vector<Fact> facts,
                           TimeMs now_ms);

  // Sets the inlet correction learned from telemetry, for later decisions;
  // nullptr: none. REQUIRES a machine with a room, a bias for each zone.
  void CorrectRoom(std::shared_ptr<const InletCorrection> correction) {
    correction_ = std::move(correction);
  }

  // Sets the time, also back. Expiry times set while the caller's clock was
  // ahead are reduced to those of a holding or an answer made now.
  void SetClock(TimeMs now_ms);

  // Adds a start that Commit did not record: a stored one, or one reported by a
  // Sync. Oldest first.
  void RestoreStart(const RecentStart& start) {
    recent_starts_.Mutable().Add(start);
  }
  // Restores a stored holding. REQUIRES that the ledger has restored holdings
  // only.
  void Restore(Holding holding);

  // Advances the time, as all other calls do first, and drops the tentative
  // allocations that have expired. Returns their jobs.
  std::vector<JobKey> AdvanceTo(TimeMs now_ms);

 private:
  struct Answered {
    std::uint32_t restart = 0;
    std::uint64_t attempt = 0;
    TimeMs forget_ms = 0;
    DecisionPtr decision;  // nullptr: the run has ended
  };

  // last, held: of the call's job, if any.
  absl::Status CheckNotOutdated(const AllocateCall& call, const Answered* last,
                                const Holding* held) const;
  absl::StatusOr<DecisionPtr> Repeat(const AllocateCall& call,
                                     const DecisionPtr& decision);
  absl::StatusOr<DecisionPtr> HoldDecided(const AllocateCall& call,
                                          Decision decision);
  // The holding that a new attempt of the call's job replaces, if any.
  const Holding* ReplacedBy(const AllocateCall& call) const;
  std::optional<Holding> HoldingFor(const AllocateCall& call,
                                    const Decision& decision) const;
  void Remember(JobKey job, std::uint64_t attempt, DecisionPtr decision);
  void RenewMemory(std::uint32_t job_id, Answered& answered);
  const Answered* FindAnswered(std::uint32_t job_id) const;
  bool SeenLaterRun(JobKey job) const;
  Holding HoldingOfFact(Fact fact, const Holding* held) const;
  CommitResult RecordFact(Fact fact, TimeMs now_ms, bool may_start);
  void RememberStart(const Holding& holding, const Holding* held);
  void SetCapacity(std::vector<Units> capacity);

  std::shared_ptr<const Machine> machine_;
  Ledger ledger_;
  // Both nullptr without a room.
  std::shared_ptr<RoomStates> room_states_;
  std::shared_ptr<const InletCorrection> correction_;
  CopyOnWrite<RecentStarts> recent_starts_{std::in_place};
  // Between Begin and Hold: the job of the decision, unless its run has ended.
  std::optional<JobKey> deciding_;
  TimeMs now_ms_ = 0;
  absl::flat_hash_map<std::uint32_t, Answered> answered_;  // by job id
  // When to check whether an answer can be dropped, in order of time.
  std::deque<std::pair<TimeMs, std::uint32_t>> forget_times_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_ALLOCATOR_H_
