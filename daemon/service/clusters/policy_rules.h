// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_POLICY_RULES_H_
#define COOLSPAN_SERVICE_CLUSTERS_POLICY_RULES_H_

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "coolspan/v1/allocator.pb.h"
#include "core/allocator.h"
#include "core/policy.h"
#include "policy/reference_policies.h"
#include "setup/daemon_setup.h"

namespace coolspan {

// The policy of one request.
struct PolicyChoice {
  std::shared_ptr<const Policy> policy;
  std::string ordering;  // its name
  // The source of the policy: "rule 2 \"gpu\", line 14" of the daemon file,
  // "comment coolspan:policy=mm", or empty for the default; followed by
  // warnings about invalid settings in the job comment.
  std::string rule;
  PlacementMode mode = PlacementMode::kEnforce;  // at most, by the rule
};

// Selects the policy of each request of live clusters: the policy in the job
// comment (JobComment; with the default ordering and span) if the daemon file
// allows it, else that of the first matching rule of the daemon file, else the
// default policy. The mode of the rule applies in any case. Thread-safe.
class PolicyRules {
 public:
  explicit PolicyRules(const DaemonSetup& setup);

  PolicyChoice Choose(const v1::AllocateRequest& request) const;
  // Policies that decisions are compared with; empty without a room.
  const ReferencePolicies& reference_policies() const {
    return reference_policies_;
  }

 private:
  const std::shared_ptr<const Policy> default_policy_;
  const std::string default_ordering_;
  const std::vector<DaemonRule> rules_;
  const std::map<std::string, std::shared_ptr<const Policy>, std::less<>>
      comment_policies_;
  const std::set<std::string, std::less<>> slow_comment_policies_;
  ReferencePolicies reference_policies_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_POLICY_RULES_H_
