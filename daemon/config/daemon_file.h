// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_DAEMON_FILE_H_
#define COOLSPAN_CONFIG_DAEMON_FILE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "config/option.h"
#include "core/machine.h"
#include "ordering/ordering.h"
#include "policy/table.h"

namespace coolspan {

// What a daemon file says. Paths are as the daemon opens them: relative ones
// start beside the file.
struct DaemonFile {
  Placed<std::vector<std::string>> listen;  // unix:///PATH, ipv4:HOST:PORT
  Placed<std::string> machine;
  Placed<std::string> policy;
  Placed<std::string> ordering;  // empty: the machine's default
  SpanKind span = SpanKind::kRing;
  std::int64_t deadline_ms = 0;
  Placed<std::string> sqlite;
  struct Log {
    std::string level;
    std::string file;  // empty: standard error
    std::string format;
  };
  Log log;
  double retention_days = 0;
};

// What a daemon serves, made from its file.
struct DaemonSetup {
  DaemonFile file;
  std::shared_ptr<const Machine> machine;
  std::shared_ptr<const Ordering> ordering;
  std::shared_ptr<const Policy> policy;
  std::vector<std::string> warnings;  // LoadMachineFile's
};

std::span<const Option<DaemonFile>> DaemonOptionTable();

// Errors: as LoadMachineFile's.
absl::StatusOr<DaemonFile> ParseDaemonFile(std::string_view text,
                                           const std::string& path);
// Reads the file and makes what it names: machine, ordering, policy.
absl::StatusOr<DaemonSetup> LoadDaemonFile(const std::string& path);
absl::StatusOr<DaemonSetup> MakeDaemonSetup(DaemonFile file,
                                            const std::string& path);

// What it serves and where, in one line.
std::string Summary(const DaemonSetup& setup);

// Empty where the endpoint is one a daemon can listen on, else what is
// wrong with it and what would be right.
std::string EndpointProblem(std::string_view endpoint);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_DAEMON_FILE_H_
