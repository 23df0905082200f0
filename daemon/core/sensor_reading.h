// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_SENSOR_READING_H_
#define COOLSPAN_CORE_SENSOR_READING_H_

#include <optional>
#include <string>

#include "core/types.h"

namespace coolspan {

// A reading of the sensors of one node.
struct SensorReading {
  NodeId node = 0;
  std::optional<double> inlet_c = {};
  std::optional<double> power_w = {};
  TimeMs age_ms = 0;
};

// A metric with the inlet temperature or power of nodes: the samples named
// metric and, unless label is empty, with a label of that name that contains
// the text, ignoring case.
struct SensorMetric {
  std::string metric;
  std::string label;
  std::string contains;

  friend bool operator==(const SensorMetric&, const SensorMetric&) = default;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_SENSOR_READING_H_
