// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/policy_cache.h"

#include <fmt/format.h>

#include <utility>

#include "core/counted.h"

namespace coolspan {

PolicyCache::PolicyCache(const DaemonSetup& setup)
    : machine_(setup.machine),
      default_ordering_(setup.ordering),
      default_policy_(setup.file.policy.value),
      default_span_(setup.file.span),
      latencies_(setup.latencies) {}

absl::StatusOr<std::shared_ptr<const Ordering>> PolicyCache::OrderingOf(
    const std::string& name) const {
  if (name.empty()) return default_ordering_;
  if (name.find(':') != std::string::npos) {
    return absl::InvalidArgumentError(fmt::format(
        "ordering: \"{}\": files are supported in the daemon file only", name));
  }
  if (name == "mip") {
    return absl::InvalidArgumentError(
        "ordering: \"mip\" is slow to compute (supported in the daemon file "
        "only; clients can send node_at_rank)");
  }
  // Locked while an ordering is made, so that it is made only once.
  const std::lock_guard lock(orderings_mutex_);
  const auto known = orderings_.find(name);
  if (known != orderings_.end()) return known->second;
  auto ordering = MakeOrdering(*machine_, name);
  if (ordering.ok()) orderings_.emplace(name, *ordering);
  return ordering;
}

absl::StatusOr<std::unique_ptr<const Policy>> PolicyCache::Make(
    const std::string& policy, const std::shared_ptr<const Machine>& machine,
    std::shared_ptr<const Ordering> ordering, const std::string& span) const {
  if (ordering->size() != machine_->node_count()) {
    return absl::InvalidArgumentError(
        fmt::format("ordering: {} (expected the {} of the machine)",
                    Counted(ordering->size(), "node"), machine_->node_count()));
  }
  SpanKind kind = default_span_;
  if (span == "ring") {
    kind = SpanKind::kRing;
  } else if (span == "linear") {
    kind = SpanKind::kLinear;
  } else if (!span.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("span: \"{}\" (expected ring or linear)", span));
  }
  auto made = MakePolicy(policy.empty() ? default_policy_ : policy, machine,
                         OptionsWith(std::move(ordering), kind));
  if (!made.ok()) return made.status();
  return std::unique_ptr<const Policy>(*std::move(made));
}

}  // namespace coolspan
