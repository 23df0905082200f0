// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_RULE_ENTRIES_H_
#define COOLSPAN_CONFIG_RULE_ENTRIES_H_

#include <string>

#include "absl/status/status.h"
#include "config/daemon_file.h"

namespace coolspan {

// Reads what the table of options leaves as text in the rules, and checks each
// rule. Errors: as ParseDaemonFile's.
absl::Status ReadRules(DaemonFile& file, const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_RULE_ENTRIES_H_
