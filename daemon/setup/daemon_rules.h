// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SETUP_DAEMON_RULES_H_
#define COOLSPAN_SETUP_DAEMON_RULES_H_

#include <string>

#include "absl/status/status.h"
#include "setup/daemon_setup.h"

namespace coolspan {

// Makes what the rules of the setup's file name, each policy and ordering once;
// the daemon's own are made already. Errors: as MakeDaemonSetup's.
absl::Status MakeRules(DaemonSetup& setup, const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_SETUP_DAEMON_RULES_H_
