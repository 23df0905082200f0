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
#include "config/job_condition.h"
#include "config/options/option.h"
#include "core/sensor_reading.h"
#include "policy/table.h"

namespace coolspan {

// Where temperatures and power of the nodes come from.
struct DaemonTelemetry {
  Place place;
  Placed<std::vector<std::string>> scrape;  // http://HOST:PORT/PATH
  // "METRIC" or "METRIC{LABEL=TEXT}"; empty: the exporters' names.
  Placed<std::vector<std::string>> inlet;
  Placed<std::vector<std::string>> power;
  // The same, read; empty where the file leaves them out.
  std::vector<SensorMetric> inlet_metrics;
  std::vector<SensorMetric> power_metrics;
  double interval_s = 0;
  double timeout_s = 0;
  double missing_after_s = 0;
  double most_deviation_k = 0;
  double bias_time_s = 0;
  double power_settles_s = 0;
};

// What a daemon file says. Paths are as the daemon opens them: relative ones
// start beside the file.
struct DaemonFile {
  Placed<std::vector<std::string>> listen;  // unix:///PATH, ipv4:HOST:PORT
  Placed<std::string> machine;
  Placed<std::string> policy;
  Placed<std::string> ordering;  // empty: the machine's default
  SpanKind span = SpanKind::kRing;
  Placed<std::string> latency_matrix;  // empty: none
  // Policies for some jobs; the first rule that is for a job counts.
  struct Rule {
    Place place;
    std::string name;  // empty: none
    JobCondition jobs;
    Placed<std::string> nodes;  // as written; ParseDaemonFile reads it
    // Empty, and no span: the daemon's own.
    Placed<std::string> policy;
    Placed<std::string> ordering;
    std::optional<SpanKind> span;
  };
  std::vector<Rule> rules;
  std::int64_t deadline_ms = 0;
  Placed<std::string> sqlite;
  struct Log {
    std::string level;
    std::string file;  // empty: standard error
    std::string format;
  };
  Log log;
  double retention_days = 0;
  std::optional<DaemonTelemetry> telemetry;
};

std::span<const Option<DaemonFile>> DaemonOptionTable();

// Opens no other file. Errors: as ReadOptions's.
absl::StatusOr<DaemonFile> ParseDaemonFile(std::string_view text,
                                           const std::string& path);
// Empty where the endpoint is one a daemon can listen on, else what is
// wrong with it and what would be right.
std::string EndpointProblem(std::string_view endpoint);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_DAEMON_FILE_H_
