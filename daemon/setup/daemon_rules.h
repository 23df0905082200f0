// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SETUP_DAEMON_RULES_H_
#define COOLSPAN_SETUP_DAEMON_RULES_H_

#include <string>

#include "absl/status/status.h"
#include "setup/daemon_setup.h"

namespace coolspan {

// Fills setup.rules from setup.file.rules. Each policy and ordering is made
// once, also across rules and the daemon's own. Errors: as MakeDaemonSetup.
absl::Status MakeRules(DaemonSetup& setup, const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_SETUP_DAEMON_RULES_H_
