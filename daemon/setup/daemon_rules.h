// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SETUP_DAEMON_RULES_H_
#define COOLSPAN_SETUP_DAEMON_RULES_H_

#include <string>

#include "absl/status/status.h"
#include "setup/daemon_setup.h"

namespace coolspan {

// Fills setup.rules and setup.comment_policies from setup.file. Each policy and
// ordering is made once, also across rules, comments and the daemon's own.
// Errors: as MakeDaemonSetup.
absl::Status MakeRules(DaemonSetup& setup, const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_SETUP_DAEMON_RULES_H_
