// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_RULE_ENTRIES_H_
#define COOLSPAN_CONFIG_RULE_ENTRIES_H_

#include <string>

#include "absl/status/status.h"
#include "config/daemon_file.h"

namespace coolspan {

// Parses the node ranges of the rules and validates each rule.
// Errors: as ParseDaemonFile.
absl::Status ReadRules(DaemonFile& file, const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_RULE_ENTRIES_H_
