// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_SENSOR_READING_H_
#define COOLSPAN_CORE_SENSOR_READING_H_

#include <optional>

#include "core/types.h"

namespace coolspan {

// What one node's sensors said.
struct SensorReading {
  NodeId node = 0;
  std::optional<double> inlet_c;
  std::optional<double> power_w;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_SENSOR_READING_H_
