// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_ALLOCATOR_H_
#define COOLSPAN_CORE_ALLOCATOR_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/allocation.h"
#include "core/budget.h"
#include "core/comparison.h"
#include "core/ledger.h"
#include "core/machine.h"
#include "core/policy.h"
#include "core/request.h"
#include "core/room_state.h"

namespace coolspan {

// What the resource manager asks with each start decision.
struct AllocateCall {
  JobKey job;
  std::uint64_t attempt = 0;  // grows with each RUN_NOW of one run
  Request request;
  // Nodes offered and nodes left out. Size 0: all offered, none left out.
  NodeSet candidates;
  NodeSet excluded;
  TimeMs now_ms = 0;  // the caller's clock
};

// An allocation and why. placed false: it does not fit now; reason says why.
struct Decision {
  std::string id;  // "JOB.RESTART.ATTEMPT"
  JobKey job;
  std::uint64_t attempt = 0;
  bool placed = false;
  Allocation allocation;
  std::string_view policy;
  Trace trace;
  std::string_view reason;     // a literal; empty when placed
  bool stopped_early = false;  // the budget ended before the search did
  // Of placed ones in a room: the redline guard took other nodes than the
  // policy's; an inlet is predicted over the redline all the same, or anyway.
  bool guarded = false;
  bool over_redline = false;
  std::optional<float> communication_share;  // the request's
  // Of placed ones in a room, where there are alternatives (CompareWith): what
  // to hold the decision against them with. Its notes are for this trace.
  std::shared_ptr<Comparison> comparison;
  // Answered before, and held since then if it was placed.
  bool is_repeat = false;
  NodeCount available = 0;  // nodes the policy could choose from
  std::uint64_t ledger_version = 0;
  TimeMs decided_ms = 0;
};

// Chooses nodes with a policy and keeps the ledger: the one allocator that
// Slurm, the command line and replay come through. Not thread-safe: a service
// serialises its calls. Time comes in with each call; it goes back with
// SetClock alone (an earlier time than one seen counts as the latest seen).
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
  Allocator(std::shared_ptr<const Machine> machine,
            std::shared_ptr<const Policy> policy,
            std::vector<Units> capacity = {});

  const Machine& machine() const { return *machine_; }
  const Ledger& ledger() const { return ledger_; }
  const Policy& policy() const { return *policy_; }
  TimeMs now_ms() const { return now_ms_; }
  // From the next decision on.
  void UsePolicy(std::shared_ptr<const Policy> policy);

  // Decisions in a room carry a Comparison with these from now on; without any,
  // they carry none. REQUIRES both, or neither.
  void CompareWith(ReferencePolicies reference_policies);

  // Places a job and holds the nodes tentatively for kTentativeMs: whole nodes,
  // or for a share one unit of each and the rest of the demand on the first
  // that have it. A repeat of (job, restart, attempt) gets the same answer,
  // committed in between or not, and does not hold longer for it; if it expired
  // and its nodes are free, they are held anew. A new attempt replaces the
  // job's earlier tentative allocation, placed or not; a new run ends what the
  // earlier one held.
  // Errors: INVALID_ARGUMENT (no nodes asked for, sets of another size, more
  // nodes or units than the machine has, required nodes excluded or too many);
  // ABORTED (an older attempt or run than one seen; a repeat whose nodes
  // expired and went to another job, or whose run was released);
  // FAILED_PRECONDITION (this run holds nodes already, committed in another
  // attempt); INTERNAL (the policy broke its contract; nothing is held).
  absl::StatusOr<Decision> Allocate(const AllocateCall& call, Budget& budget);

  // The answer Allocate would give a new attempt; changes nothing. What a new
  // attempt would replace counts as free. Errors: INVALID_ARGUMENT, INTERNAL.
  absl::StatusOr<Decision> Preview(const AllocateCall& call,
                                   const Policy& policy, Budget& budget) const;

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

  // Where a policy's answer is predicted to heat an inlet over the redline, the
  // answer of this one is taken instead if it heats the room less; the trace
  // says so. nullptr: nobody is asked.
  void GuardRedline(std::shared_ptr<const Policy> cooler) {
    redline_fallback_ = std::move(cooler);
  }

  // What telemetry has taught of the room, for the decisions from now on;
  // nullptr: nothing. REQUIRES a machine with a room, a bias for each zone.
  void CorrectRoom(std::shared_ptr<const InletCorrection> correction) {
    room_->Correct(std::move(correction));
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
    std::unique_ptr<const Decision> decision;  // nullptr: the run is over
  };

  absl::Status Check(const AllocateCall& call) const;
  absl::Status CheckNotLate(const AllocateCall& call) const;
  absl::StatusOr<Decision> Repeat(const AllocateCall& call,
                                  const Decision& decision);
  absl::StatusOr<Decision> Decide(const AllocateCall& call,
                                  const Ledger& ledger, const Policy& policy,
                                  Budget& budget) const;
  static absl::Status CheckAnswer(const MachineView& view,
                                  const Request& request,
                                  const Allocation& allocation);
  RoomState::Forecast ForecastOf(const Request& request, const Ledger& ledger,
                                 std::span<const NodeId> nodes) const;
  void MindHeat(const MachineView& view, const Request& request,
                const Ledger& ledger, Budget& budget, Decision& decision) const;
  RoomState::Forecast KeepRedline(const MachineView& view,
                                  const Request& request, const Ledger& ledger,
                                  RoomState::Forecast own, Budget& budget,
                                  Decision& decision) const;
  std::optional<Holding> HoldingFor(const AllocateCall& call,
                                    const Decision& decision) const;
  void Remember(JobKey job, std::uint64_t attempt,
                std::unique_ptr<const Decision> decision);
  void RememberLonger(std::uint32_t job_id);
  const Answered* FindAnswered(std::uint32_t job_id) const;
  bool SeenLaterRun(JobKey job) const;
  Holding HoldingOfFact(Fact fact, const Holding* held) const;
  void SetCapacity(std::vector<Units> capacity);

  std::shared_ptr<const Machine> machine_;
  std::shared_ptr<const Policy> policy_;
  std::shared_ptr<const Policy> redline_fallback_;  // nullptr: no redline guard
  Ledger ledger_;
  // Follows whatever ledger a decision is made on; nullptr without a room.
  std::unique_ptr<RoomState> room_;
  ReferencePolicies reference_policies_;
  std::uint64_t total_units_ = 0;
  TimeMs now_ms_ = 0;
  absl::flat_hash_map<std::uint32_t, Answered> answered_;  // by job id
  // When to look whether an answer can be forgotten, in order of time.
  std::deque<std::pair<TimeMs, std::uint32_t>> forgetting_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_ALLOCATOR_H_
