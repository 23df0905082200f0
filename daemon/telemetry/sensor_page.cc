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

struct Power {
  std::size_t metric;  // place in the list
  double watts;
};

void AddPower(std::optional<Power>& power, const Power& sample) {
  if (!power.has_value() || sample.metric < power->metric) {
    power = sample;
  } else if (sample.metric == power->metric) {
    power->watts += sample.watts;
  }
}

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
    std::optional<NodeId> node_of_page) {
  struct Found {
    std::optional<double> inlet_c;
    std::optional<Power> power;
  };
  std::map<NodeId, Found> by_node;
  for (const PrometheusSample& sample : page) {
    // A sensor without a reading, as exporters have it.
    if (std::isnan(sample.value)) continue;
    const bool is_inlet =
        std::any_of(inlet_metrics.begin(), inlet_metrics.end(),
                    [&](const SensorMetric& m) { return Matches(sample, m); });
    const auto power =
        std::find_if(power_metrics.begin(), power_metrics.end(),
                     [&](const SensorMetric& m) { return Matches(sample, m); });
    if (!is_inlet && power == power_metrics.end()) continue;
    const auto node = NodeOf(sample, machine, node_of_page);
    if (!node.has_value()) continue;
    Found& found = by_node[*node];
    if (is_inlet) {
      found.inlet_c =
          std::max(found.inlet_c.value_or(sample.value), sample.value);
    }
    if (power != power_metrics.end()) {
      AddPower(found.power,
               {static_cast<std::size_t>(power - power_metrics.begin()),
                sample.value});
    }
  }
  std::vector<SensorReading> readings;
  readings.reserve(by_node.size());
  for (const auto& [node, found] : by_node) {
    readings.push_back({node, found.inlet_c, {}});
    if (found.power.has_value()) readings.back().power_w = found.power->watts;
  }
  return readings;
}

}  // namespace coolspan
