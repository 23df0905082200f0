// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TELEMETRY_PROMETHEUS_TEXT_H_
#define COOLSPAN_TELEMETRY_PROMETHEUS_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace coolspan {

// One sample of the Prometheus text format 0.0.4.
struct PrometheusSample {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;  // as written
  double value = 0;  // may be NaN or infinite
  // Milliseconds since 1970; unset without a timestamp.
  std::optional<std::int64_t> time_ms = {};

  // The value of a label; empty without such a label.
  std::string_view Label(std::string_view label) const;
};

// The samples of a page; comments are ignored.
// Errors: INVALID_ARGUMENT, "line:column: what is wrong (expected ...)".
absl::StatusOr<std::vector<PrometheusSample>> ParsePrometheusText(
    std::string_view page);

}  // namespace coolspan

#endif  // COOLSPAN_TELEMETRY_PROMETHEUS_TEXT_H_
