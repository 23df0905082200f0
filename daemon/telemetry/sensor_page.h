// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TELEMETRY_SENSOR_PAGE_H_
#define COOLSPAN_TELEMETRY_SENSOR_PAGE_H_

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "core/machine.h"
#include "core/sensor_reading.h"
#include "core/types.h"
#include "telemetry/prometheus_text.h"

namespace coolspan {

// The metrics of ipmi_exporter, the redfish exporters and idrac_exporter.
std::span<const SensorMetric> DefaultInletMetrics();
std::span<const SensorMetric> DefaultPowerMetrics();

// When a page was read (since 1970), and the maximum age of a sample.
struct PageTime {
  TimeMs now_ms = 0;
  TimeMs stale_after_ms = 0;

  bool IsStale(const PrometheusSample& sample) const {
    return AgeMs(sample) > stale_after_ms;
  }
  TimeMs AgeMs(const PrometheusSample& sample) const {
    return std::max<TimeMs>(0, now_ms - sample.time_ms.value_or(now_ms));
  }
};

// The readings of the machine's nodes on a page, one per node, ascending.
// A sample belongs to the node named by a label (node, nodename, hostname,
// host, target or instance, port and domain removed if needed), else to
// node_of_page if set, else to no node. Inlet: the maximum of a node's samples.
// Power: the sum of the samples of the first metric in power_metrics for which
// the node has samples and none is NaN. NaN is a missing value, and so is a
// sample older than time.stale_after_ms by its timestamp. The age of a reading
// is that of the node's oldest sample.
std::vector<SensorReading> ReadingsOf(
    std::span<const PrometheusSample> page, const Machine& machine,
    std::span<const SensorMetric> inlet_metrics,
    std::span<const SensorMetric> power_metrics,
    std::optional<NodeId> node_of_page, PageTime time);

}  // namespace coolspan

#endif  // COOLSPAN_TELEMETRY_SENSOR_PAGE_H_
