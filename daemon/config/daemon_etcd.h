// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_DAEMON_ETCD_H_
#define COOLSPAN_CONFIG_DAEMON_ETCD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "config/options/option.h"

namespace coolspan {

struct DaemonFile;

// Where several daemons keep their allocations, and what each tells the others.
struct DaemonEtcd {
  Placed<std::vector<std::string>> endpoints;  // HOST:PORT; empty: not used
  Placed<std::string> prefix;                  // ends with a slash
  // Paths; empty: none.
  Placed<std::string> ca;
  Placed<std::string> cert;
  Placed<std::string> key;
  std::int64_t lease_s = 0;
  Place lease_place;
  Placed<std::string> advertise;  // an endpoint of listen's syntax

  bool is_used() const { return !endpoints.value.empty(); }
};

// Checks the section and fills in defaults. path: of the daemon file. Error:
// INVALID_ARGUMENT, "file:line:column: what is wrong".
absl::Status ReadEtcd(DaemonFile& file, const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_DAEMON_ETCD_H_
