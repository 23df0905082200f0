// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_POLICY_CACHE_H_
#define COOLSPAN_SERVICE_CLUSTERS_POLICY_CACHE_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "core/machine.h"
#include "core/policy.h"
#include "ordering/ordering.h"
#include "setup/daemon_setup.h"

namespace coolspan {

// Makes policies and orderings other than those of the daemon file, by name.
// Caches orderings, which are slow to make on large machines. Thread-safe.
class PolicyCache {
 public:
  explicit PolicyCache(const DaemonSetup& setup);

  // Empty strings mean the defaults of the daemon file.

  // Error: INVALID_ARGUMENT (unknown names; "file:" orderings, which would let
  // clients read files of the daemon's host; mip, which is slow to compute).
  absl::StatusOr<std::shared_ptr<const Ordering>> OrderingOf(
      const std::string& name) const;
  // A new policy. machine: the daemon's machine, or a copy with another room.
  // span: "ring", "linear" or empty.
  // Error: INVALID_ARGUMENT (unknown names, an ordering of another size).
  absl::StatusOr<std::unique_ptr<const Policy>> Make(
      const std::string& policy, const std::shared_ptr<const Machine>& machine,
      std::shared_ptr<const Ordering> ordering, const std::string& span) const;

 private:
  PolicyOptions OptionsWith(std::shared_ptr<const Ordering> ordering,
                            SpanKind span) const {
    return {
        .ordering = std::move(ordering), .span = span, .latencies = latencies_};
  }

  const std::shared_ptr<const Machine> machine_;
  const std::shared_ptr<const Ordering> default_ordering_;
  const std::string default_policy_;
  const SpanKind default_span_;
  const std::shared_ptr<const LatencyMatrix> latencies_;
  mutable std::mutex orderings_mutex_;
  mutable std::map<std::string, std::shared_ptr<const Ordering>> orderings_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_POLICY_CACHE_H_
