// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_TABLE_H_
#define COOLSPAN_POLICY_TABLE_H_

#include <memory>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/machine.h"
#include "core/policy.h"
#include "ordering/ordering.h"
#include "topology/latency_matrix.h"

namespace coolspan {

enum class SpanKind { kRing, kLinear };

// What a policy may be made with; a policy reads what concerns it.
struct PolicyOptions {
  std::shared_ptr<const Ordering> ordering;  // never null
  SpanKind span = SpanKind::kRing;
  // How much worse than the least total pairwise distance ptas may be, as a
  // share of it; above 0 and at most kMaxEpsilon.
  double epsilon = kDefaultEpsilon;
  // Weights of bqp, of latencies and of heat; each from 0 to kMaxWeight.
  double alpha = kDefaultWeight;
  double beta = kDefaultWeight;
  // Of its branch and bound, at most; from 0 to kMaxSubproblems.
  double subproblems = kDefaultSubproblems;
  // Its H, of as many nodes as the machine has; null: hops.
  std::shared_ptr<const LatencyMatrix> latencies = nullptr;

  static constexpr double kDefaultEpsilon = 0.5;
  static constexpr double kMaxEpsilon = 1;
  static constexpr double kDefaultWeight = 0.5;
  static constexpr double kMaxWeight = 1000;
  static constexpr double kDefaultSubproblems = 150;
  static constexpr double kMaxSubproblems = 1e9;
};

// A number among the options of a policy.
struct PolicyNumber {
  std::string_view name;
  std::string_view help;
  double PolicyOptions::*value;
  double least;
  double most;
  bool above_least = false;  // least itself is not allowed
};

struct PolicyEntry {
  std::string_view name;
  std::string_view help;
  bool uses_ordering;
  std::unique_ptr<Policy> (*make)(const std::shared_ptr<const Machine>& machine,
                                  const PolicyOptions& options);
  bool uses_shape = false;  // of the request
  bool uses_room = false;   // of the machine: made only where it is known
  std::span<const PolicyNumber> numbers = {};
  // What is wrong with numbers that are right each by itself; empty: nothing.
  std::string_view (*objection)(const PolicyOptions& options) = nullptr;
  // Of a policy that uses the room: whether with these options it does not.
  bool (*spares_room)(const PolicyOptions& options) = nullptr;
};
// All policies; a new one is one file and one line in table.cc.
std::span<const PolicyEntry> PolicyTable();

// A policy is asked for by a spec, NAME[:NUMBER=VALUE...], as "mm" or
// "bqp:alpha=1:beta=0"; what the spec gives replaces what the options say.

// By the name that a spec begins with; nullptr for an unknown one.
const PolicyEntry* FindPolicy(std::string_view spec);

// Errors: INVALID_ARGUMENT: no number of the policy's, with the ones it has;
// given twice; no number, or one out of range.
absl::Status CheckPolicyNumber(const PolicyNumber& number, double value);
absl::StatusOr<PolicyOptions> ReadPolicySpec(std::string_view spec,
                                             PolicyOptions options);

// Errors: INVALID_ARGUMENT for an unknown name, with the known ones, numbers as
// ReadPolicySpec says or that don't go together, a policy that uses the room of
// a machine that has none, and latencies of another number of nodes.
absl::StatusOr<std::unique_ptr<Policy>> MakePolicy(
    std::string_view spec, const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_TABLE_H_
