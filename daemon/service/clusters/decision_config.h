// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_DECISION_CONFIG_H_
#define COOLSPAN_SERVICE_CLUSTERS_DECISION_CONFIG_H_

#include <chrono>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/policy.h"
#include "ordering/ordering.h"
#include "service/clusters/policy_cache.h"
#include "service/clusters/policy_rules.h"
#include "setup/daemon_setup.h"

namespace coolspan {

// What decisions, previews and sessions use of a daemon file. A reload replaces
// it as a whole; calls in progress keep theirs. Thread-safe.
struct DecisionConfig {
  explicit DecisionConfig(const DaemonSetup& setup);

  const PolicyRules rules;
  const PolicyCache policies;
  const std::shared_ptr<const Policy> default_policy;
  const std::shared_ptr<const Ordering> default_ordering;
  // The policy of the redline guard; nullptr without a room.
  const std::shared_ptr<const Policy> redline_fallback;
  // Maximum time of a decision, whatever the client's deadline.
  const std::chrono::milliseconds decision_limit;
};

// The current one. Thread-safe; no call waits for the making of a new one.
class CurrentConfig {
 public:
  using Ptr = std::shared_ptr<const DecisionConfig>;

  explicit CurrentConfig(Ptr config) : current_(std::move(config)) {}

  Ptr Get() const {
    const std::lock_guard lock(mutex_);
    return current_;
  }
  void Replace(Ptr next);
  // Frees replaced ones that no call uses any more. To be called from time to
  // time: otherwise the last decision with one would take the time for it.
  void FreeUnused();

 private:
  mutable std::mutex mutex_;
  Ptr current_;
  std::vector<Ptr> replaced_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_DECISION_CONFIG_H_
