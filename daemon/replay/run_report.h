// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_RUN_REPORT_H_
#define COOLSPAN_REPLAY_RUN_REPORT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"
#include "replay/run_map.h"
#include "replay/run_picture.h"
#include "replay/run_series.h"
#include "replay/run_spec.h"

namespace coolspan {

// A metric of a run under its name in reports; no value if it does not apply.
struct NamedValue {
  std::string name;
  std::optional<double> value;
};

// The value of the metric with that name; nullopt without such a metric.
inline std::optional<double> ValueOf(const std::vector<NamedValue>& metrics,
                                     std::string_view name) {
  for (const NamedValue& metric : metrics) {
    if (metric.name == name) return metric.value;
  }
  return std::nullopt;
}

// Of a mean or a share; no value if there is nothing to divide by.
inline std::optional<double> Ratio(double numerator, double denominator) {
  if (denominator <= 0) return std::nullopt;
  return numerator / denominator;
}

struct PreviewReport {
  std::string policy;
  std::uint64_t jobs = 0;  // placed by this policy
  std::vector<NamedValue> metrics;
};

// What has been sent over one direction of a link.
struct LinkReport {
  VertexId from;
  VertexId to;
  double sent_gb;
  double use;  // sent_gb / (capacity * makespan)
};

struct RunReport {
  RunSpec run;
  std::uint64_t jobs = 0;
  std::vector<NamedValue> metrics;
  std::vector<PreviewReport>
      previews;  // in the order of ReplaySetup::previewed
  // Of the waits, 0 to 100, nearest rank; empty without jobs.
  std::vector<float> wait_percentiles_s;
  RunSeries series;                           // if recorded
  std::shared_ptr<const RunPicture> picture;  // nullptr: not recorded
  std::vector<LinkReport> links;              // LinkMeter::Report
  std::optional<RunMap> map;                  // if recorded
  std::uint64_t most_beyond_depth = 0;        // Scheduler::most_beyond_depth
  double wall_s = 0;
  double peak_rss_mb = 0;  // MiB, of the process at the end of the run
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_RUN_REPORT_H_
