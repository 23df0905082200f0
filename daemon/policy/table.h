// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_TABLE_H_
#define COOLSPAN_POLICY_TABLE_H_

#include <memory>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/machine.h"
#include "core/policy.h"
#include "policy/policy_options.h"

namespace coolspan {

// A numeric option of a policy. The command line has a flag of the same name,
// so no two policies share a name.
struct PolicyNumber {
  std::string_view name;
  std::string_view help;
  double default_value;
  double min;
  double max;
  bool min_excluded = false;
};

struct PolicyEntry {
  std::string_view name;
  std::string_view help;
  bool uses_ordering;
  std::unique_ptr<Policy> (*make)(const std::shared_ptr<const Machine>& machine,
                                  const PolicyOptions& options);
  bool uses_shape = false;  // Request::shape
  bool uses_room = false;   // requires a machine with a room
  std::span<const PolicyNumber> numbers = {};
  // Checks the combination of numbers that are each in range. Returns the
  // error; empty: none.
  std::string_view (*conflict)(const PolicyOptions& options) = nullptr;
  // With uses_room: whether the policy needs no room with these options.
  bool (*works_without_room)(const PolicyOptions& options) = nullptr;
  bool uses_latencies = false;  // PolicyOptions::latencies
};
// All policies. To add one, add a file, its make function in policies.h and an
// entry in table.cc.
std::span<const PolicyEntry> PolicyTable();

// A policy spec is NAME[:OPTION=NUMBER...], for example "mm" or
// "bqp:alpha=1:beta=0".

// The policy named by the spec; nullptr if the name is unknown.
const PolicyEntry* FindPolicy(std::string_view spec);

// Errors: INVALID_ARGUMENT if the value is out of range.
absl::Status CheckPolicyNumber(const PolicyNumber& number, double value);

// `options` with the numbers of this policy alone: each from the spec, else
// from `options`, else its default. Errors: INVALID_ARGUMENT for an unknown
// policy, an option that the policy does not have, one specified more than
// once, and a value that is not a number or out of range.
absl::StatusOr<PolicyOptions> ReadPolicySpec(std::string_view spec,
                                             PolicyOptions options);

// Errors: INVALID_ARGUMENT as ReadPolicySpec, and for numbers that conflict, a
// policy that needs a room on a machine without one, and a latency matrix for
// another number of nodes.
absl::StatusOr<std::unique_ptr<Policy>> MakePolicy(
    std::string_view spec, const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_TABLE_H_
