// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_SENSOR_READING_H_
#define COOLSPAN_CORE_SENSOR_READING_H_

#include <optional>
#include <string>

#include "core/types.h"

namespace coolspan {

// What one node's sensors said.
struct SensorReading {
  NodeId node = 0;
  std::optional<double> inlet_c = {};
  std::optional<double> power_w = {};
  TimeMs age_ms = 0;  // how long ago
};

// A metric that tells a node's inlet or power: of that name and, where label
// is not empty, with a label whose value contains that text in any case.
struct SensorMetric {
  std::string metric;
  std::string label;
  std::string contains;

  friend bool operator==(const SensorMetric&, const SensorMetric&) = default;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_SENSOR_READING_H_
