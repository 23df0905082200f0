// SPDX-License-Identifier: GPL-3.0-or-later
#include "setup/policy_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/allocator.h"
#include "core/counted.h"
#include "core/deadline.h"

namespace coolspan {
namespace {

// Trials with longer deadlines, which no slurmctld has (DeadlineMs is at most
// as long), would delay the start of the daemon.
constexpr std::int64_t kMaxDeadlineMs = 1000;

class Trial {
 public:
  Trial(DaemonSetup& setup, const SteadyClock& now)
      : deadline_(setup.file.deadline_ms),
        now_(now),
        allocator_(setup.machine),
        warnings_(setup.warnings) {
    const NodeCount nodes = setup.machine->node_count();
    call_.request.demand.min_nodes = std::max<NodeCount>(1, nodes / 4);
    call_.request.demand.max_nodes = call_.request.demand.min_nodes;
  }

  // source: what names the policy in the daemon file. One warning per policy.
  void Try(const std::string& source,
           const std::shared_ptr<const Policy>& policy) {
    if (tried_.contains(policy.get()) || !IsSlow(*policy)) return;
    warnings_.push_back(fmt::format(
        "{}: policy {} takes longer than deadline_ms {} for {} of {}: its "
        "decisions may be stopped early, and slurmctld waits for them "
        "(expected a faster policy or a longer deadline)",
        source, policy->spec(), deadline_.count(),
        Counted(call_.request.demand.min_nodes, "node"),
        allocator_.ledger().node_count()));
  }

  // Whether decisions take longer than the deadline: two in a row, as another
  // process may have delayed the first. Each policy is tried once.
  bool IsSlow(const Policy& policy) {
    const auto [tried, is_new] = tried_.emplace(&policy, false);
    if (is_new)
      tried->second = ExceedsDeadline(policy) && ExceedsDeadline(policy);
    return tried->second;
  }

 private:
  bool ExceedsDeadline(const Policy& policy) const {
    const auto end = now_() + deadline_;
    Budget budget = BudgetUntil(end, now_);
    const auto decision = allocator_.Preview(call_, {policy}, budget);
    return decision.ok() && (decision->stopped_early || now_() > end);
  }

  const std::chrono::milliseconds deadline_;
  const SteadyClock& now_;
  const Allocator allocator_;
  AllocateCall call_;
  std::map<const Policy*, bool> tried_;  // whether it is slow
  std::vector<std::string>& warnings_;
};

}  // namespace

void TryPolicies(DaemonSetup& setup, const SteadyClock& now) {
  if (setup.file.deadline_ms > kMaxDeadlineMs) return;
  Trial trial(setup, now);
  trial.Try("policy", setup.policy);
  for (const DaemonRule& rule : setup.rules) trial.Try(rule.label, rule.policy);
  const bool listed = setup.file.comment_policies.has_value();
  for (const auto& [spec, policy] : setup.comment_policies) {
    if (listed) {
      trial.Try(fmt::format("comment_policies: {}", spec), policy);
    } else if (trial.IsSlow(*policy)) {
      setup.slow_comment_policies.insert(spec);
    }
  }
  std::erase_if(setup.comment_policies, [&setup](const auto& entry) {
    return setup.slow_comment_policies.contains(entry.first);
  });
}

}  // namespace coolspan
