// SPDX-License-Identifier: GPL-3.0-or-later
#include "telemetry/sensor_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <string_view>

#include "absl/strings/ascii.h"

namespace coolspan {
namespace {

constexpr std::array<std::string_view, 6> kNodeLabels = {
    "node", "nodename", "hostname", "host", "target", "instance"};

bool Contains(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char a, char b) {
                       return absl::ascii_tolower(a) == absl::ascii_tolower(b);
                     }) != text.end() ||
         part.empty();
}

bool Matches(const PrometheusSample& sample, const SensorMetric& metric) {
  return sample.name == metric.metric &&
         (metric.label.empty() ||
          Contains(sample.Label(metric.label), metric.contains));
}

std::optional<NodeId> NodeNamed(std::string_view host, const Machine& machine) {
  if (const auto node = machine.FindNode(host)) return node;
  host = host.substr(0, host.find(':'));
  if (const auto node = machine.FindNode(host)) return node;
  return machine.FindNode(host.substr(0, host.find('.')));
}

std::optional<NodeId> NodeOf(const PrometheusSample& sample,
                             const Machine& machine,
                             std::optional<NodeId> node_of_page) {
  for (const std::string_view label : kNodeLabels) {
    if (const auto node = NodeNamed(sample.Label(label), machine)) return node;
  }
  return node_of_page;
}

// The samples of one node on a page.
struct NodeSamples {
  std::optional<double> inlet_c;
  // By index in power_metrics; NaN if a sample is NaN.
  std::map<std::size_t, double> watts_of_metric;
  TimeMs age_ms = 0;

  std::optional<double> PowerW() const {
    for (const auto& [metric, watts] : watts_of_metric) {
      if (!std::isnan(watts)) return watts;
    }
    return std::nullopt;
  }
};

}  // namespace

std::span<const SensorMetric> DefaultInletMetrics() {
  static const std::array<SensorMetric, 4> metrics = {
      SensorMetric{"ipmi_temperature_celsius", "name", "inlet"},
      SensorMetric{"redfish_chassis_temperature_celsius", "sensor", "inlet"},
      SensorMetric{"redfish_thermal_temperatures_reading_celsius", "name",
                   "inlet"},
      SensorMetric{"idrac_sensors_temperature", "name", "inlet"}};
  return metrics;
}

std::span<const SensorMetric> DefaultPowerMetrics() {
  static const std::array<SensorMetric, 5> metrics = {
      SensorMetric{"ipmi_dcmi_power_consumption_watts", "", ""},
      SensorMetric{"redfish_chassis_power_average_consumed_watts", "", ""},
      SensorMetric{"redfish_power_powercontrol_consumed_watts", "", ""},
      SensorMetric{"idrac_power_control_consumed_watts", "", ""},
      SensorMetric{"ipmi_power_watts", "name", "consumption"}};
  return metrics;
}

std::vector<SensorReading> ReadingsOf(
    std::span<const PrometheusSample> page, const Machine& machine,
    std::span<const SensorMetric> inlet_metrics,
    std::span<const SensorMetric> power_metrics,
    std::optional<NodeId> node_of_page, PageTime time) {
  std::map<NodeId, NodeSamples> by_node;
  for (const PrometheusSample& sample : page) {
    const bool is_inlet =
        std::any_of(inlet_metrics.begin(), inlet_metrics.end(),
                    [&](const SensorMetric& m) { return Matches(sample, m); });
    const auto power =
        std::find_if(power_metrics.begin(), power_metrics.end(),
                     [&](const SensorMetric& m) { return Matches(sample, m); });
    if (!is_inlet && power == power_metrics.end()) continue;
    const auto node = NodeOf(sample, machine, node_of_page);
    if (!node.has_value()) continue;
    NodeSamples& samples = by_node[*node];
    // Exporters report NaN for a sensor without a reading.
    const double value = time.IsStale(sample) ? std::nan("") : sample.value;
    if (!std::isnan(value)) {
      samples.age_ms = std::max(samples.age_ms, time.AgeMs(sample));
      if (is_inlet) {
        samples.inlet_c = std::max(samples.inlet_c.value_or(value), value);
      }
    }
    if (power != power_metrics.end()) {
      samples.watts_of_metric[static_cast<std::size_t>(
          power - power_metrics.begin())] += value;
    }
  }
  std::vector<SensorReading> readings;
  readings.reserve(by_node.size());
  for (const auto& [node, samples] : by_node) {
    const std::optional<double> power_w = samples.PowerW();
    if (!samples.inlet_c.has_value() && !power_w.has_value()) continue;
    readings.push_back({node, samples.inlet_c, power_w, samples.age_ms});
  }
  return readings;
}

}  // namespace coolspan
