// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_ALLOCATOR_H_
#define COOLSPAN_CORE_ALLOCATOR_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/budget.h"
#include "core/decision.h"
#include "core/ledger.h"
#include "core/machine.h"
#include "core/machine_snapshot.h"

namespace coolspan {

using DecisionPtr = std::shared_ptr<const Decision>;

// Decides and keeps the ledger: the one allocator that Slurm, the command line
// and replay come through. Not thread-safe: a service serialises its calls.
// Time comes in with each call; it goes back with SetClock alone (an earlier
// time than one seen counts as the latest seen).
//
// A service decides without holding its lock: Begin and SnapshotFor under it,
// Decide outside, Hold under it again. Allocate is the same in one step.
//
// Answers are remembered for kRememberMs, whatever becomes of their nodes, and
// can be rebuilt from a holding after that. Facts (Commit, Resize, Suspend,
// Release) about an earlier run than one seen change nothing: that run is over.
class Allocator {
 public:
  static constexpr TimeMs kTentativeMs = 10'000;
  static constexpr TimeMs kRememberMs = 60'000;

  // capacity: units of each node, 0 counting as 1; empty stands for one unit
  // each.
  explicit Allocator(std::shared_ptr<const Machine> machine,
                     std::vector<Units> capacity = {});

  const Machine& machine() const { return *machine_; }
  const Ledger& ledger() const { return ledger_; }
  TimeMs now_ms() const { return now_ms_; }

  // Places a job and holds the nodes tentatively for kTentativeMs: whole nodes,
  // or for a share one unit of each and the rest of the demand on the first
  // that have it. A repeat of (job, restart, attempt) gets the same answer,
  // committed in between or not, and does not hold longer for it; if it expired
  // and its nodes are free, they are held anew. A new attempt replaces the
  // job's earlier tentative allocation, placed or not; a new run ends what the
  // earlier one held.
  // Errors: CheckCall's and Decide's (nothing is held);
  // ABORTED (an older attempt or run than one seen; a repeat whose nodes
  // expired and went to another job, or whose run was released);
  // FAILED_PRECONDITION (this run holds nodes already, committed in another
  // attempt).
  absl::StatusOr<DecisionPtr> Allocate(const AllocateCall& call,
                                       const DecidingPolicies& policies,
                                       Budget& budget);

  // The steps of Allocate, for one call at a time. Begin answers what is known
  // (a repeat), nullptr where there is something to decide; of an earlier
  // attempt nothing changes yet. Errors: Allocate's, but for Decide's.
  absl::StatusOr<DecisionPtr> Begin(const AllocateCall& call);
  // The machine as the call would find it: what a new attempt of the job
  // replaces, and what has expired by then, counts as free. Changes nothing.
  MachineSnapshot SnapshotFor(const AllocateCall& call) const;
  // Holds what was decided on SnapshotFor, after Begin, unless what happened
  // since has taken a node of it: nullptr, decide anew.
  // Errors: ABORTED, FAILED_PRECONDITION: Allocate's.
  absl::StatusOr<DecisionPtr> Hold(const AllocateCall& call, Decision decision);

  // The answer Allocate would give a new attempt; changes nothing.
  // Errors: CheckCall's, Decide's.
  absl::StatusOr<Decision> Preview(const AllocateCall& call,
                                   const DecidingPolicies& policies,
                                   Budget& budget) const;
  // The machine as it is.
  MachineSnapshot Snapshot() const;

  // The job runs on these nodes. Idempotent, never refused.
  struct CommitResult {
    bool as_decided = false;       // the nodes of its tentative allocation
    std::vector<JobKey> disputed;  // older holdings it contradicts
  };
  struct Fact {
    JobKey job;
    bool whole = true;
    std::vector<NodeId> nodes;  // ascending
    std::vector<Units> units;   // as nodes; empty for whole nodes
    bool suspended = false;
    // Of its time there; none: as it was asked for.
    std::optional<float> communication_share;
  };
  CommitResult Commit(Fact fact, TimeMs now_ms);
  // The job has these nodes now; units as in Commit. A job without a holding
  // gets one: the resource manager knows.
  CommitResult Resize(Fact fact, TimeMs now_ms);
  std::vector<JobKey> Suspend(JobKey job, bool suspended, TimeMs now_ms);
  // The run is over. Nothing happens when a later run holds the nodes, or
  // nobody does. Returns whether something was released.
  bool Release(JobKey job, TimeMs now_ms);

  // Replaces the committed holdings with the ones the resource manager lists;
  // tentative ones stay where they contradict none. A run that is listed is the
  // job's latest, whatever was seen before. Returns jobs that were
  // committed before and are not listed, or have other nodes now.
  std::vector<JobKey> Sync(std::vector<Units> capacity, std::vector<Fact> facts,
                           TimeMs now_ms);

  // What telemetry has taught of the room, for the decisions from now on;
  // nullptr: nothing. REQUIRES a machine with a room, a bias for each zone.
  void CorrectRoom(std::shared_ptr<const InletCorrection> correction) {
    correction_ = std::move(correction);
  }

  // Takes a time that is surely right, earlier than one seen or not: what a
  // clock ahead for a while has put off expires no later than if it were new
  // now, and is forgotten no later.
  void SetClock(TimeMs now_ms);

  // Puts back a holding read from a store. REQUIRES an allocator that has
  // only been restored into.
  void Restore(Holding holding);

  // Every call does this first. Returns the jobs whose tentative allocations
  // expired.
  std::vector<JobKey> AdvanceTo(TimeMs now_ms);

 private:
  struct Answered {
    std::uint32_t restart = 0;
    std::uint64_t attempt = 0;
    TimeMs forget_ms = 0;
    DecisionPtr decision;  // nullptr: the run is over
  };

  absl::Status CheckNotLate(const AllocateCall& call) const;
  absl::StatusOr<DecisionPtr> Repeat(const AllocateCall& call,
                                     const DecisionPtr& decision);
  absl::StatusOr<DecisionPtr> HoldDecided(const AllocateCall& call,
                                          Decision decision);
  // The holding that a new attempt of the call's job replaces, if any.
  const Holding* ReplacedBy(const AllocateCall& call) const;
  std::optional<Holding> HoldingFor(const AllocateCall& call,
                                    const Decision& decision) const;
  void Remember(JobKey job, std::uint64_t attempt, DecisionPtr decision);
  void RememberLonger(std::uint32_t job_id);
  const Answered* FindAnswered(std::uint32_t job_id) const;
  bool SeenLaterRun(JobKey job) const;
  Holding HoldingOfFact(Fact fact, const Holding* held) const;
  void SetCapacity(std::vector<Units> capacity);

  std::shared_ptr<const Machine> machine_;
  Ledger ledger_;
  // Both of a machine with a room.
  std::shared_ptr<RoomStates> room_states_;
  std::shared_ptr<const InletCorrection> correction_;
  // Between Begin and Hold: the job that is decided, unless its run has ended.
  std::optional<JobKey> deciding_;
  TimeMs now_ms_ = 0;
  absl::flat_hash_map<std::uint32_t, Answered> answered_;  // by job id
  // When to look whether an answer can be forgotten, in order of time.
  std::deque<std::pair<TimeMs, std::uint32_t>> forgetting_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_ALLOCATOR_H_
