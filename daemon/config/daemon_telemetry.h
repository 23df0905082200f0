// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_DAEMON_TELEMETRY_H_
#define COOLSPAN_CONFIG_DAEMON_TELEMETRY_H_

#include <string>

#include "absl/status/status.h"
#include "config/daemon_file.h"

namespace coolspan {

// Checks the telemetry of the setup's file and reads the metrics in it.
// path: of the daemon file, for errors.
absl::Status ReadTelemetry(DaemonSetup& setup, const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_DAEMON_TELEMETRY_H_
