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

namespace coolspan {

enum class SpanKind { kRing, kLinear };

// What a policy may be made with; a policy reads what concerns it.
struct PolicyOptions {
  std::shared_ptr<const Ordering> ordering;  // never null
  SpanKind span = SpanKind::kRing;
  // How much worse than the least total pairwise distance ptas may be, as a
  // share of it; above 0 and at most kMostEpsilon.
  double epsilon = kDefaultEpsilon;

  static constexpr double kDefaultEpsilon = 0.5;
  static constexpr double kMostEpsilon = 1;
};

struct PolicyEntry {
  std::string_view name;
  std::string_view help;
  bool uses_ordering;
  std::unique_ptr<Policy> (*make)(const std::shared_ptr<const Machine>& machine,
                                  const PolicyOptions& options);
  bool uses_shape = false;  // of the request
  bool uses_room = false;   // of the machine: made only where it is known
};
// All policies; a new one is one file and one line in table.cc.
std::span<const PolicyEntry> PolicyTable();

// nullptr for an unknown name.
const PolicyEntry* FindPolicy(std::string_view name);

// Errors: INVALID_ARGUMENT for an unknown name, with the known ones, and for a
// policy that reads the room of a machine that has none.
absl::StatusOr<std::unique_ptr<Policy>> MakePolicy(
    std::string_view name, const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_TABLE_H_
