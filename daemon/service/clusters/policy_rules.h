// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_POLICY_RULES_H_
#define COOLSPAN_SERVICE_CLUSTERS_POLICY_RULES_H_

#include <memory>
#include <string>
#include <vector>

#include "coolspan/v1/allocator.pb.h"
#include "core/allocator.h"
#include "core/policy.h"
#include "policy/reference_policies.h"
#include "service/clusters/policy_cache.h"
#include "setup/daemon_setup.h"

namespace coolspan {

// The policy of one request.
struct PolicyChoice {
  std::shared_ptr<const Policy> policy;
  std::string ordering;  // its name
  // What named the policy, in words: "rule 2 \"gpu\", line 14" of the daemon
  // file, "comment coolspan:policy=mm". What a comment says in vain, a name
  // that is none or a communication share that is none, is said too. Empty: the
  // daemon's own.
  std::string rule;
};

// Chooses the policy of each request of live clusters: the one that the job's
// comment names (JobComment; on the daemon's own ordering and span), else that
// of the first rule of the daemon file that is for the job, else the daemon's
// own. A comment with a name that no policy has counts for nothing.
// Thread-safe.
class PolicyRules {
 public:
  // policies must outlive it.
  PolicyRules(const DaemonSetup& setup, PolicyCache& policies);

  PolicyChoice Choose(const v1::AllocateRequest& request) const;
  // Where there is no request yet.
  const std::shared_ptr<const Policy>& own_policy() const { return own_; }
  // What decisions are held against; empty where the room is not known.
  const ReferencePolicies& reference_policies() const {
    return reference_policies_;
  }

 private:
  const std::shared_ptr<const Policy> own_;
  const std::string own_ordering_;
  const std::vector<DaemonRule> rules_;
  PolicyCache& policies_;
  ReferencePolicies reference_policies_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_POLICY_RULES_H_
