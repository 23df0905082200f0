// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/daemon_telemetry.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "config/daemon_file.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

bool IsPage(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  if (url.substr(0, kScheme.size()) != kScheme) return false;
  url.remove_prefix(kScheme.size());
  return !url.empty() && url.front() != '/' && url.front() != ':' &&
         std::none_of(url.begin(), url.end(),
                      [](char c) { return absl::ascii_isspace(c); });
}

bool IsName(std::string_view text) {
  return !text.empty() && !absl::ascii_isdigit(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isalnum(c) || c == '_' || c == ':';
         });
}

// Parses METRIC or METRIC{LABEL=TEXT}; an empty metric if it is neither.
SensorMetric ParseMetric(std::string_view text) {
  const std::size_t brace = text.find('{');
  SensorMetric metric;
  metric.metric = std::string(text.substr(0, brace));
  if (brace != std::string_view::npos) {
    const std::string_view rest = text.substr(brace + 1);
    const std::size_t equals = rest.find('=');
    if (rest.empty() || rest.back() != '}' ||
        equals == std::string_view::npos) {
      return {};
    }
    metric.label = std::string(rest.substr(0, equals));
    metric.contains =
        std::string(rest.substr(equals + 1, rest.size() - equals - 2));
    if (!IsName(metric.label)) return {};
  }
  return IsName(metric.metric) ? metric : SensorMetric{};
}

absl::Status ReadMetrics(const Placed<std::vector<std::string>>& texts,
                         std::string_view option, const std::string& path,
                         std::vector<SensorMetric>& metrics) {
  for (const std::string& text : texts.value) {
    metrics.push_back(ParseMetric(text));
    if (!metrics.back().metric.empty()) continue;
    return ErrorAt(path, texts.place,
                   fmt::format("{}: {} is not a metric (expected METRIC or "
                               "METRIC{{LABEL=TEXT}})",
                               option, Quoted(text)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadTelemetry(DaemonTelemetry& telemetry,
                           const std::string& path) {
  for (const std::string& url : telemetry.scrape.value) {
    if (IsPage(url)) continue;
    return ErrorAt(path, telemetry.scrape.place,
                   fmt::format("telemetry.scrape: {} is not the URL of a page "
                               "(expected http://HOST:PORT/PATH)",
                               Quoted(url)));
  }
  absl::Status status = ReadMetrics(telemetry.inlet, "telemetry.inlet", path,
                                    telemetry.inlet_metrics);
  if (!status.ok()) return status;
  return ReadMetrics(telemetry.power, "telemetry.power", path,
                     telemetry.power_metrics);
}

}  // namespace coolspan
