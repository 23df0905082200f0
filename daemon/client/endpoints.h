// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_ENDPOINTS_H_
#define COOLSPAN_CLIENT_ENDPOINTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace coolspan {

// An address of a daemon, as specified by the user and in gRPC's syntax.
struct Endpoint {
  std::string text;    // "unix:///run/coolspand.sock", "ipv4:ctl:7070"
  std::string target;  // gRPC name syntax; a host name becomes dns:///
};

// Parses `unix:///PATH` or `ipv4:HOST:PORT` (HOST an IPv4 address or a host
// name), several separated by commas, in order of preference. INVALID_ARGUMENT
// names the invalid endpoint and what was expected.
absl::StatusOr<std::vector<Endpoint>> ParseEndpoints(std::string_view text);

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_ENDPOINTS_H_
