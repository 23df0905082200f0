// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_DAEMON_ACCESS_H_
#define COOLSPAN_CONFIG_DAEMON_ACCESS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "config/role.h"
#include "formats/file_error.h"

namespace coolspan {

struct DaemonFile;

// Certificates of the TCP endpoints; none: plaintext. Paths as in DaemonFile.
struct DaemonTls {
  Place place;
  Placed<std::string> cert;
  Placed<std::string> key;
  Placed<std::string> client_ca;
};

// Who may do what, and how much of it.
struct DaemonAccess {
  Placed<std::string> socket_group;  // name or number; empty: the process's
  // Entries of the roles: a user name or number, "group:NAME", "cert:NAME" or
  // "*". As written; roles that are not in the file are absent.
  std::map<Role, Placed<std::vector<std::string>>> roles;
  bool allows_plaintext_on_any_network = false;
  std::int64_t max_connections = 0;
  std::int64_t max_connections_per_user = 0;
  std::int64_t max_calls_per_s = 0;
};

// Whether an endpoint that EndpointProblem accepts is on TCP.
bool IsTcp(const std::string& endpoint);
// Whether it is a Unix socket, or a TCP address that only this host reaches.
bool IsOfThisHost(const std::string& endpoint);

// Resolves the paths of tls and checks the sections tls and access, and listen
// against them. Errors: as ParseDaemonFile.
absl::Status ReadAccess(DaemonFile& file, const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_DAEMON_ACCESS_H_
