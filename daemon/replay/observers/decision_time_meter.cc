// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/decision_time_meter.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "replay/observers/percentile.h"

namespace coolspan {

absl::Status DecisionTimeMeter::Started(const JobStart& start) {
  decision_us_.push_back(static_cast<float>(start.placement.decision_us));
  return absl::OkStatus();
}

void DecisionTimeMeter::AppendTo(std::vector<NamedValue>& values,
                                 double wall_s) const {
  std::vector<float> sorted = decision_us_;
  std::sort(sorted.begin(), sorted.end());
  const auto add = [&](std::string_view name, double share) {
    values.push_back({std::string(name),
                      sorted.empty()
                          ? std::nullopt
                          : std::optional<double>(Percentile(sorted, share))});
  };
  add("decision_us_p50", 0.5);
  add("decision_us_p99", 0.99);
  add("decision_us_max", 1.0);
  values.push_back(
      {"replay_jobs_per_s", Ratio(static_cast<double>(sorted.size()), wall_s)});
}

void DecisionTimeMeter::Report(RunReport& report) const {
  AppendTo(report.metrics, report.wall_s);
}

}  // namespace coolspan
