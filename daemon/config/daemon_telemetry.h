// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_DAEMON_TELEMETRY_H_
#define COOLSPAN_CONFIG_DAEMON_TELEMETRY_H_

#include <string>

#include "absl/status/status.h"
#include "config/daemon_file.h"

namespace coolspan {

// Validates the telemetry options and parses their metrics. path: of the daemon
// file, for errors. Errors: as ParseDaemonFile.
absl::Status ReadTelemetry(DaemonTelemetry& telemetry, const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_DAEMON_TELEMETRY_H_
