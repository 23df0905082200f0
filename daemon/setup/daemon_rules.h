// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SETUP_DAEMON_RULES_H_
#define COOLSPAN_SETUP_DAEMON_RULES_H_

#include <string>

#include "absl/status/status.h"
#include "config/daemon_file.h"

namespace coolspan {

// The rules: part of a daemon file.

// Reads what the table of options leaves as text, and checks each rule.
// Errors: as ParseDaemonFile's.
absl::Status ReadRules(DaemonFile& file, const std::string& path);

// Makes what the rules name, each policy and ordering once; the daemon's own
// are made already. Errors: as MakeDaemonSetup's.
absl::Status MakeRules(DaemonSetup& setup, const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_SETUP_DAEMON_RULES_H_
