// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_POLICY_CACHE_H_
#define COOLSPAN_SERVICE_CLUSTERS_POLICY_CACHE_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/machine.h"
#include "core/policy.h"
#include "ordering/ordering.h"
#include "setup/daemon_setup.h"

namespace coolspan {

// Policies and orderings other than the daemon's defaults, by name. Caches
// orderings, which are slow to make on large machines, and the policies named
// by jobs. Thread-safe.
class PolicyCache {
 public:
  explicit PolicyCache(const DaemonSetup& setup);

  // Empty strings mean the defaults of the daemon file.

  // Error: INVALID_ARGUMENT (unknown names; "file:" orderings, which would let
  // clients read files of the daemon's host; mip, which is slow to compute).
  absl::StatusOr<std::shared_ptr<const Ordering>> OrderingOf(
      const std::string& name);
  // A cached policy, with the default ordering and span; the kMaxPolicies used
  // last are kept. Error: INVALID_ARGUMENT (not a policy spec).
  absl::StatusOr<std::shared_ptr<const Policy>> Named(const std::string& spec);
  // A new policy. machine: the daemon's machine, or a copy with another room.
  // span: "ring", "linear" or empty.
  // Error: INVALID_ARGUMENT (unknown names, an ordering of another size).
  absl::StatusOr<std::unique_ptr<const Policy>> Make(
      const std::string& policy, const std::shared_ptr<const Machine>& machine,
      std::shared_ptr<const Ordering> ordering, const std::string& span) const;

 private:
  // A bound is necessary: specs contain numbers.
  static constexpr std::size_t kMaxPolicies = 64;

  // nullptr: not cached. REQUIRES policies_mutex_.
  std::shared_ptr<const Policy> Find(const std::string& spec);

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
  std::mutex orderings_mutex_;
  std::map<std::string, std::shared_ptr<const Ordering>> orderings_;
  // Another mutex: decisions do not wait for an ordering that is made.
  std::mutex policies_mutex_;
  // By spec, the last used first.
  std::vector<std::pair<std::string, std::shared_ptr<const Policy>>> policies_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_POLICY_CACHE_H_
