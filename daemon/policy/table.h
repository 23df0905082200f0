// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_TABLE_H_
#define COOLSPAN_POLICY_TABLE_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/machine.h"
#include "core/policy.h"
#include "core/spec/spec_options.h"
#include "policy/policy_options.h"

namespace coolspan {

struct PolicyEntry {
  std::string_view name;
  std::string_view help;
  bool uses_ordering;
  std::unique_ptr<Policy> (*make)(const std::shared_ptr<const Machine>& machine,
                                  const PolicyOptions& options);
  bool uses_shape = false;  // Request::shape
  bool uses_room = false;   // requires a machine with a room
  // The command line has a flag for each option that is a number, so no two
  // policies have such options of the same name.
  std::span<const SpecOption> options = {};
  // Checks the combination of values that are each in range. Returns the
  // error; empty: none.
  std::string_view (*conflict)(const PolicyOptions& options) = nullptr;
  // Whether the policy needs no room with these options, whatever uses_room
  // says of the policy without options.
  bool (*works_without_room)(const PolicyOptions& options) = nullptr;
  bool uses_latencies = false;  // PolicyOptions::latencies
  // Why the policy cannot run on the machine with these options, with what is
  // expected; empty: it can. With default options every policy can.
  std::string (*misfit)(const Machine& machine,
                        const PolicyOptions& options) = nullptr;
};
// All policies. To add one, add a file, its make function in policies.h and an
// entry in table.cc.
std::span<const PolicyEntry> PolicyTable();

// The policy named by the spec; nullptr if the name is unknown.
const PolicyEntry* FindPolicy(std::string_view spec);

// `options` with the values of this policy alone: each from the spec, else from
// `options`, else its default. Errors: INVALID_ARGUMENT for an unknown policy;
// ReadSpecValues'.
absl::StatusOr<PolicyOptions> ReadPolicySpec(std::string_view spec,
                                             PolicyOptions options);

// Errors: INVALID_ARGUMENT as ReadPolicySpec, and for values that conflict, a
// policy that needs a room on a machine without one, and a latency matrix for
// another number of nodes.
absl::StatusOr<std::unique_ptr<Policy>> MakePolicy(
    std::string_view spec, const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_TABLE_H_
