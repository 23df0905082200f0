// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_DAEMON_TELEMETRY_H_
#define COOLSPAN_CONFIG_DAEMON_TELEMETRY_H_

#include <string>

#include "absl/status/status.h"
#include "config/daemon_file.h"

namespace coolspan {

// Checks what a daemon file says of telemetry and reads the metrics in it.
// path: of the daemon file, for errors. Errors: as ParseDaemonFile's.
absl::Status ReadTelemetry(DaemonTelemetry& telemetry, const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_DAEMON_TELEMETRY_H_
