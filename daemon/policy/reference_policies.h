// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_REFERENCE_POLICIES_H_
#define COOLSPAN_POLICY_REFERENCE_POLICIES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "core/comparison.h"
#include "core/machine.h"
#include "policy/table.h"

namespace coolspan {

// The policies that decisions in a room are compared with: mpit, the coolest
// choice, and mc1x1, the most compact one. Errors: as MakePolicy. REQUIRES a
// machine with a room.
absl::StatusOr<ReferencePolicies> MakeReferencePolicies(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_REFERENCE_POLICIES_H_
