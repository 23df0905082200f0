// SPDX-License-Identifier: GPL-3.0-or-later
#include "setup/policy_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
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

  // source: what names the policy in the daemon file. Each policy is tried
  // once.
  void Try(const std::string& source,
           const std::shared_ptr<const Policy>& policy) {
    if (!tried_.insert(policy.get()).second) return;
    const auto end = now_() + deadline_;
    Budget budget = BudgetUntil(end, now_);
    const auto decision = allocator_.Preview(call_, {*policy}, budget);
    if (!decision.ok() || (!decision->stopped_early && now_() <= end)) return;
    warnings_.push_back(fmt::format(
        "{}: policy {} takes longer than deadline_ms {} for {} of {}: its "
        "decisions may be stopped early, and slurmctld waits for them "
        "(expected a faster policy or a longer deadline)",
        source, policy->name(), deadline_.count(),
        Counted(call_.request.demand.min_nodes, "node"),
        allocator_.ledger().node_count()));
  }

 private:
  const std::chrono::milliseconds deadline_;
  const SteadyClock& now_;
  const Allocator allocator_;
  AllocateCall call_;
  std::set<const Policy*> tried_;
  std::vector<std::string>& warnings_;
};

}  // namespace

void TryPolicies(DaemonSetup& setup, const SteadyClock& now) {
  if (setup.file.deadline_ms > kMaxDeadlineMs) return;
  Trial trial(setup, now);
  trial.Try("policy", setup.policy);
  for (const DaemonRule& rule : setup.rules) trial.Try(rule.label, rule.policy);
  for (const auto& [spec, policy] : setup.comment_policies) {
    trial.Try(fmt::format("comment_policies: {}", spec), policy);
  }
}

}  // namespace coolspan
