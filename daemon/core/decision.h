// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_DECISION_H_
#define COOLSPAN_CORE_DECISION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/allocation.h"
#include "core/budget.h"
#include "core/ledger.h"
#include "core/machine_snapshot.h"
#include "core/policy.h"
#include "core/request.h"

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

// The machine's nodes, counted by the first reason that keeps the job off them.
struct Shortage {
  NodeCount not_offered = 0;    // not among the candidates
  NodeCount excluded = 0;       // by the call
  NodeCount busy = 0;           // held by other jobs
  NodeCount lacking_units = 0;  // fewer free units than demanded of one node
  NodeCount rejected = 0;       // available, and the policy found no place

  friend bool operator==(const Shortage&, const Shortage&) = default;
};

// An allocation and why. placed false: it does not fit now; reason says why.
// Immutable once the allocator has answered with it.
struct Decision {
  std::string id;  // "JOB.RESTART.ATTEMPT"
  JobKey job;
  std::uint64_t attempt = 0;
  bool placed = false;
  Allocation allocation;
  std::string_view policy;
  Trace trace;
  std::string_view reason;     // a literal; empty when placed
  Shortage shortage;           // all 0 when placed
  bool stopped_early = false;  // the budget ended before the search did
  // Of placed ones in a room: the redline guard took other nodes than the
  // policy's; an inlet is predicted over the redline all the same, or anyway.
  bool guarded = false;
  bool over_redline = false;
  std::optional<float> communication_share;  // the request's
  // Answered before, and held since then if it was placed.
  bool is_repeat = false;
  NodeCount available = 0;  // nodes the policy could choose from
  std::uint64_t ledger_version = 0;
  TimeMs decided_ms = 0;
};

// "JOB.RESTART.ATTEMPT".
std::string DecisionId(JobKey job, std::uint64_t attempt);

// The decision in one sentence, with the facts of the trace (its own, or with
// more added later): "best-fit: interval of 12 from rank 40" or "best-fit: too
// few of the offered nodes are free (nodes: 4 not offered, 9 busy)".
std::string WhyText(const Decision& decision, const Trace& trace);

// Who decides. redline_fallback: where the policy's answer is predicted to heat
// an inlet over the redline, its answer is taken instead if that heats the room
// less; the trace says so. nullptr: nobody is asked.
struct DecidingPolicies {
  const Policy& policy;
  const Policy* redline_fallback = nullptr;
};

// Errors: INVALID_ARGUMENT (no nodes asked for, sets of another size, more
// nodes or units than the machine has, required nodes excluded or too many).
absl::Status CheckCall(const AllocateCall& call,
                       const Availability& availability);

// The nodes of the snapshot that the call may be given.
NodeSet AvailableTo(const AllocateCall& call, const Availability& availability);

// Decides a call on a snapshot; changes nothing, and needs no lock. The same
// snapshot, call, policies and work budget give the same decision. REQUIRES
// that CheckCall is OK. Error: INTERNAL, the policy broke its contract.
absl::StatusOr<Decision> Decide(const MachineSnapshot& snapshot,
                                const AllocateCall& call,
                                const DecidingPolicies& policies,
                                Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_DECISION_H_
