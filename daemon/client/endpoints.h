// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_ENDPOINTS_H_
#define COOLSPAN_CLIENT_ENDPOINTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace coolspan {

// One address of a daemon, as the user wrote it and as gRPC takes it.
struct Endpoint {
  std::string text;    // "unix:///run/coolspand.sock", "ipv4:ctl:7070"
  std::string target;  // gRPC name syntax; a host name becomes dns:///
};

// `unix:///PATH` or `ipv4:HOST:PORT` (HOST an IPv4 address or a host name),
// several separated by commas, the preferred one first. INVALID_ARGUMENT says
// which one is wrong and what would be right.
absl::StatusOr<std::vector<Endpoint>> ParseEndpoints(std::string_view text);

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_ENDPOINTS_H_
