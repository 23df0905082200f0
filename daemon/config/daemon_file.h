// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_DAEMON_FILE_H_
#define COOLSPAN_CONFIG_DAEMON_FILE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "config/daemon_access.h"
#include "config/daemon_etcd.h"
#include "config/job_condition.h"
#include "config/options/option.h"
#include "config/options/option_texts.h"
#include "config/placement_mode.h"
#include "core/sensor_reading.h"
#include "policy/table.h"

namespace coolspan {

// The sources of inlet temperatures and node power.
struct DaemonTelemetry {
  Place place;
  Placed<std::vector<std::string>> scrape;  // http://HOST:PORT/PATH
  // "METRIC" or "METRIC{LABEL=TEXT}"; empty: the defaults of
  // telemetry/sensor_page.h.
  Placed<std::vector<std::string>> inlet;
  Placed<std::vector<std::string>> power;
  // inlet and power, parsed.
  std::vector<SensorMetric> inlet_metrics;
  std::vector<SensorMetric> power_metrics;
  double interval_s = 0;
  double timeout_s = 0;
  double missing_after_s = 0;
  double most_deviation_k = 0;
  double bias_time_s = 0;
  double power_settles_s = 0;
};

// The pages for monitoring.
struct DaemonHttp {
  Placed<std::string> listen;  // as written
  bool allow_remote = false;
  bool live = false;  // serves the live page
  // Of listen: a numeric address, and a port; 0: any.
  std::string host;
  std::uint16_t port = 0;
};

// The contents of a daemon file. Paths are resolved: relative ones against the
// directory of the file.
struct DaemonFile {
  Placed<std::vector<std::string>> listen;  // unix:///PATH, ipv4:HOST:PORT
  Placed<std::string> machine;
  Placed<std::string> policy;
  Placed<std::string> ordering;  // empty: the machine's default
  SpanKind span = SpanKind::kOfOrdering;
  Placed<std::string> latency_matrix;  // empty: none
  // Policies for selected jobs; the first matching rule applies.
  struct Rule {
    Place place;
    std::string name;  // empty: none
    JobCondition jobs;
    Placed<std::string> nodes;  // as written; ParseDaemonFile parses it to jobs
    // Empty or unset: the values of the daemon file.
    Placed<std::string> policy;
    Placed<std::string> ordering;
    std::optional<SpanKind> span;
    std::optional<PlacementMode> mode;  // at most
  };
  std::vector<Rule> rules;
  // Specs of the policies that the comment of a job may name; unset:
  // kDefaultCommentPolicies.
  std::optional<Placed<std::vector<std::string>>> comment_policies;
  std::int64_t deadline_ms = 0;
  Placed<std::string> sqlite;
  DaemonEtcd etcd;
  Placed<std::string> archive;
  std::int64_t archive_max_mb = 0;  // 2^20 bytes each
  struct Log {
    std::string level;
    std::string file;    // empty: standard error
    std::string format;  // empty: by where standard error goes
  };
  Log log;
  double retention_days = 0;
  double cluster_expiry_days = 0;  // 0: never
  static std::int64_t DaysInMs(double days) {
    constexpr double kMsPerDay = 24 * 3600 * 1000.0;
    return static_cast<std::int64_t>(days * kMsPerDay);
  }
  std::int64_t RetentionMs() const { return DaysInMs(retention_days); }
  std::int64_t ClusterExpiryMs() const { return DaysInMs(cluster_expiry_days); }
  std::optional<DaemonHttp> http;
  std::optional<DaemonTelemetry> telemetry;
  std::optional<DaemonTls> tls;
  DaemonAccess access;
  // All of the above as read, to compare with a later version of the file.
  std::vector<OptionText> texts;
};

// Policies that decide any request within 2 ms on 10,000 nodes
// (tests/bench/comment_policies_bench.cc); those that need a room only on
// machines with one.
inline constexpr std::string_view kDefaultCommentPolicies[] = {
    "free-list", "first-fit", "best-fit", "sum-of-squares",
    "random",    "exact-1d",  "mbs",      "coolest-inlet"};

std::span<const Option<DaemonFile>> DaemonOptionTable();

// Parses and validates the text of a daemon file; opens no other file. path
// names it in errors and is what relative paths are resolved against.
// Errors: as ReadOptions.
absl::StatusOr<DaemonFile> ParseDaemonFile(std::string_view text,
                                           const std::string& path);

// Empty if the daemon can listen on the endpoint, else what is wrong and what
// is expected.
std::string EndpointProblem(std::string_view endpoint);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_DAEMON_FILE_H_
