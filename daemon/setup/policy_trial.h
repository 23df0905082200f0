// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SETUP_POLICY_TRIAL_H_
#define COOLSPAN_SETUP_POLICY_TRIAL_H_

#include <chrono>
#include <functional>

#include "setup/daemon_setup.h"

namespace coolspan {

using SteadyClock = std::function<std::chrono::steady_clock::time_point()>;

// Makes a decision with each policy of the daemon file, rules and comments
// included, for a quarter of the empty machine. Adds a warning to
// setup.warnings for each policy whose decision does not end within
// deadline_ms: the daemon would stop it early, and slurmctld waits that long
// for each job. Of the default comment policies, which nobody has listed, such
// a policy is moved to setup.slow_comment_policies instead. Takes at most about
// two deadlines per policy; none are made with deadlines over one second.
void TryPolicies(DaemonSetup& setup, const SteadyClock& now);

}  // namespace coolspan

#endif  // COOLSPAN_SETUP_POLICY_TRIAL_H_
