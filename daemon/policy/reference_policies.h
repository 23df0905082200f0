// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_REFERENCE_POLICIES_H_
#define COOLSPAN_POLICY_REFERENCE_POLICIES_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "core/budget.h"
#include "core/decision/decision.h"
#include "core/machine.h"
#include "core/machine_snapshot.h"
#include "core/policy.h"
#include "policy/policy_options.h"

namespace coolspan {

// The policies that decisions in a room are compared with.
struct ReferencePolicies {
  std::shared_ptr<const Policy> coolest;
  std::shared_ptr<const Policy> most_compact;
};

// mpit, the coolest choice, and mc1x1, the most compact one. Errors:
// MakePolicy's. REQUIRES a machine with a room.
absl::StatusOr<ReferencePolicies> MakeReferencePolicies(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options);

// Compares a decision with what the reference policies choose on the same
// snapshot, and notes peak inlet, cooling power and pairwise distance of the
// coolest and of the most compact choice; the decision itself may be either.
// Takes some milliseconds, so the answer does not wait for it. Each
// policy may use kWorkOfReference work units. The facts of a policy that finds
// no nodes within them are omitted; if `budget` ended first, compared is "no
// time". REQUIRES a placed decision of this snapshot and a machine with a room.
inline constexpr std::uint64_t kWorkOfReference = 400'000;
void NoteComparison(const ReferencePolicies& references,
                    const MachineSnapshot& snapshot, const AllocateCall& call,
                    const Decision& decision, Budget& budget, Trace& trace);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_REFERENCE_POLICIES_H_
