// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_DECISION_DECISION_H_
#define COOLSPAN_CORE_DECISION_DECISION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/allocation.h"
#include "core/budget.h"
#include "core/decision/question.h"
#include "core/ledger.h"
#include "core/machine_snapshot.h"
#include "core/policy.h"
#include "core/request.h"

namespace coolspan {

// Number of nodes by the first reason that makes them unavailable to the job.
struct Shortage {
  NodeCount not_offered = 0;  // not among the candidates
  NodeCount excluded = 0;     // by the call
  NodeCount busy = 0;         // held by other jobs
  // Available, but no max_nodes available nodes that include this one have the
  // requested units together. With max_nodes 1: fewer free units than
  // requested.
  NodeCount lacking_units = 0;
  // Available, but not placed by the policy. 0 if the budget ended first.
  NodeCount rejected = 0;

  friend bool operator==(const Shortage&, const Shortage&) = default;
};

// An allocation and the reasons for it, or with placed false the reason why the
// request cannot be met now. Immutable once the allocator has returned it.
struct Decision {
  std::string id;  // "JOB.RESTART.ATTEMPT"
  JobKey job;
  std::uint64_t attempt = 0;
  bool placed = false;
  Allocation allocation;
  std::string policy;  // its spec
  Trace trace;
  std::string_view reason;     // a literal; empty when placed
  Shortage shortage;           // all 0 when placed
  bool stopped_early = false;  // the budget ended the search
  // If placed, with a room: the redline guard replaced the policy's nodes; the
  // predicted peak inlet of the final nodes exceeds the redline.
  bool guarded = false;
  bool over_redline = false;
  std::optional<float> communication_share;  // the request's
  // Repeats the answer to an earlier call; if placed, held since then.
  bool is_repeat = false;
  NodeCount available = 0;  // nodes the policy could choose from
  std::uint64_t ledger_version = 0;
  TimeMs decided_ms = 0;
};

// "JOB.RESTART.ATTEMPT".
std::string DecisionId(JobKey job, std::uint64_t attempt);

// The decision in one sentence, with the facts of the trace (decision.trace, or
// a copy with facts added later): "best-fit: interval of 12 from rank 40" or
// "best-fit: too few of the offered nodes are free (nodes: 4 not offered, 9
// busy)".
std::string WhyText(const Decision& decision, const Trace& trace);

// The policy of a decision. redline_fallback: if the policy's allocation is
// predicted to exceed the redline, the allocation of this policy replaces it,
// provided that its predicted peak inlet is lower; the trace records this.
// nullptr: no redline guard.
struct DecidingPolicies {
  const Policy& policy;
  const Policy* redline_fallback = nullptr;
};

// Errors: INVALID_ARGUMENT (0 nodes requested, sets or tiers of another size,
// more nodes or units than the machine has, required nodes excluded or too
// many).
absl::Status CheckCall(const AllocateCall& call,
                       const Availability& availability);

// Decides a call on a snapshot; changes nothing, needs no lock. The same
// snapshot, call, policies and work budget give the same decision. REQUIRES
// that CheckCall is OK. Error: INTERNAL, the policy broke its contract.
absl::StatusOr<Decision> Decide(const MachineSnapshot& snapshot,
                                const AllocateCall& call,
                                const DecidingPolicies& policies,
                                Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_DECISION_DECISION_H_
