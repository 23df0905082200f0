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

// Policies for those who ask for others than the daemon's own. Keeps the
// orderings it made, which take long on large machines, and the policies that
// jobs name. Thread-safe.
class PolicyCache {
 public:
  explicit PolicyCache(const DaemonSetup& setup);

  // Empty texts stand for the daemon's own everywhere.

  // Errors: INVALID_ARGUMENT (unknown names; "file:" orderings, which would
  // read the daemon's files for whoever asks; mip, which takes a minute).
  absl::StatusOr<std::shared_ptr<const Ordering>> OrderingOf(
      const std::string& name);
  // On the daemon's own ordering and span, the same for all who ask, as long as
  // no kMaxKept others were asked for since. Error: INVALID_ARGUMENT, there is
  // none of this spec.
  absl::StatusOr<std::shared_ptr<const Policy>> Named(const std::string& spec);
  // A policy of its own for the caller, on the daemon's machine, maybe in
  // another room. span: "ring", "linear" or empty.
  // Errors: INVALID_ARGUMENT (unknown names, no ordering of the machine's
  // nodes).
  absl::StatusOr<std::unique_ptr<const Policy>> Make(
      const std::string& policy, const std::shared_ptr<const Machine>& machine,
      std::shared_ptr<const Ordering> ordering, const std::string& span) const;

 private:
  // Numbers in specs make names without end.
  static constexpr std::size_t kMaxKept = 64;

  // nullptr: not kept. REQUIRES mutex_.
  std::shared_ptr<const Policy> Find(const std::string& spec);

  PolicyOptions With(std::shared_ptr<const Ordering> ordering,
                     SpanKind span) const {
    return {
        .ordering = std::move(ordering), .span = span, .latencies = latencies_};
  }

  const std::shared_ptr<const Machine> machine_;
  const std::shared_ptr<const Ordering> own_ordering_;
  const std::string own_policy_;
  const SpanKind own_span_;
  const std::shared_ptr<const LatencyMatrix> latencies_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Ordering>> made_;
  // By spec, the last asked for first.
  std::vector<std::pair<std::string, std::shared_ptr<const Policy>>> named_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_POLICY_CACHE_H_
