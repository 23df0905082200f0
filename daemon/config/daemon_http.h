// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_DAEMON_HTTP_H_
#define COOLSPAN_CONFIG_DAEMON_HTTP_H_

#include <string>

#include "absl/status/status.h"
#include "config/daemon_file.h"

namespace coolspan {

// Validates http.listen and sets host and port. path: of the daemon file, for
// errors. Errors: as ParseDaemonFile; an address that other hosts may reach,
// without allow_remote.
absl::Status ReadHttp(DaemonHttp& http, const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_DAEMON_HTTP_H_
