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

// What is read where nothing else is said: the names of ipmi_exporter, of the
// redfish exporters and of idrac_exporter.
std::span<const SensorMetric> DefaultInletMetrics();
std::span<const SensorMetric> DefaultPowerMetrics();

// When a page was read, and how old a sample may be.
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

// What a page says of the machine's nodes, a reading a node, ascending. A
// sample belongs to the node that a label names (node, nodename, hostname,
// host, target or instance, the latter without its port; with or without a
// domain), else to the node of the whole page if it has one, else to none. Of
// several inlets of a node the hottest counts; of several metrics of power the
// first of the list that the page has, of several samples of it the sum. NaN is
// no reading, and no part of a sum: then the metric says nothing of that node.
// now_ms since 1970: what is older by its timestamp than stale_after_ms is as
// NaN, and a reading is as old as the oldest sample of its node.
std::vector<SensorReading> ReadingsOf(
    std::span<const PrometheusSample> page, const Machine& machine,
    std::span<const SensorMetric> inlet_metrics,
    std::span<const SensorMetric> power_metrics,
    std::optional<NodeId> node_of_page, PageTime time);

}  // namespace coolspan

#endif  // COOLSPAN_TELEMETRY_SENSOR_PAGE_H_
