// SPDX-License-Identifier: GPL-3.0-or-later
#include "telemetry/sensor_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "mesh_machine.h"
#include "telemetry/prometheus_text.h"

namespace coolspan {
namespace {

TEST(PrometheusTextTest, ReadsSamples) {
  const auto page = ParsePrometheusText(
      "# HELP ipmi_up none\n"
      "# TYPE ipmi_up gauge\n"
      "\n"
      "ipmi_up 1\n"
      "ipmi_temperature_celsius{id=\"21\",name=\"Inlet \\\"A\\\"\\\\\"} 23.5 "
      "1712000000000\r\n"
      "  a:b { x = \"\" , } NaN\n"
      "low -Inf\n"
      "high +Inf");
  ASSERT_TRUE(page.ok()) << page.status();
  ASSERT_EQ(page->size(), 5U);
  EXPECT_EQ((*page)[0].name, "ipmi_up");
  EXPECT_EQ((*page)[0].value, 1);
  EXPECT_EQ((*page)[1].Label("id"), "21");
  EXPECT_EQ((*page)[1].Label("name"), "Inlet \"A\"\\");
  EXPECT_EQ((*page)[1].Label("other"), "");
  EXPECT_EQ((*page)[1].value, 23.5);
  EXPECT_EQ((*page)[0].time_ms, std::nullopt);
  EXPECT_EQ((*page)[1].time_ms, 1712000000000);
  EXPECT_EQ((*page)[2].name, "a:b");
  EXPECT_TRUE(std::isnan((*page)[2].value));
  EXPECT_EQ((*page)[3].value, -INFINITY);
  EXPECT_EQ((*page)[4].value, INFINITY);
}

// The text format has timestamps in milliseconds, OpenMetrics in seconds.
TEST(PrometheusTextTest, ReadsTimestampsOfBothFormats) {
  const auto page = ParsePrometheusText(
      "a 1 1712000000000\na 1 1712000000\na 1 1712000000.25\na 1 -5\na 1 "
      "NaN\na 1 1e300\na 1 # x\n");
  ASSERT_TRUE(page.ok()) << page.status();
  std::vector<std::optional<std::int64_t>> times;
  for (const PrometheusSample& sample : *page) times.push_back(sample.time_ms);
  EXPECT_THAT(times,
              testing::ElementsAre(1712000000000, 1712000000000, 1712000000250,
                                   std::nullopt, std::nullopt, std::nullopt,
                                   std::nullopt));
}

TEST(PrometheusTextTest, ErrorsHaveLineAndColumn) {
  const auto error = [](const std::string& page) {
    return std::string(ParsePrometheusText(page).status().message());
  };
  EXPECT_EQ(error("up 1\nup one\n"),
            "2:4: missing or invalid number (expected name{label=\"value\"} "
            "number)");
  EXPECT_EQ(error("<html>"),
            "1:1: missing metric name (expected name{label=\"value\"} number)");
  EXPECT_THAT(error("up{a} 1"), testing::HasSubstr("1:5: missing '=' after"));
  EXPECT_THAT(error("up{a=1} 1"), testing::HasSubstr("1:6: missing '\"'"));
  EXPECT_THAT(error("up{a=\"1} 1"), testing::HasSubstr("unclosed '\"'"));
  EXPECT_THAT(error("up{a=\"1\" b=\"2\"} 1"),
              testing::HasSubstr("missing ',' or '}'"));
  EXPECT_THAT(error("up{a=\"1\",2=\"2\"} 1"),
              testing::HasSubstr("missing label"));
  EXPECT_THAT(error("up{"), testing::HasSubstr("missing label name"));
  EXPECT_THAT(error("up"), testing::HasSubstr("1:3: missing or invalid"));
}

class SensorPageTest : public testing::Test {
 protected:
  std::vector<SensorReading> Read(const std::string& page,
                                  std::optional<NodeId> node = {}) const {
    return ReadingsOf(ParsePrometheusText(page).value(), *machine_,
                      DefaultInletMetrics(), DefaultPowerMetrics(), node,
                      {kNowMs, 300'000});
  }

  static constexpr TimeMs kNowMs = 1712000000000;

  std::shared_ptr<const Machine> machine_ = MeshMachine(FlatGrid({4}));
};

TEST_F(SensorPageTest, IpmiExporter) {
  const auto readings = Read(
      "ipmi_temperature_celsius{id=\"1\",name=\"CPU1 Temp\"} 60\n"
      "ipmi_temperature_celsius{id=\"2\",name=\"System INLET Temp\"} 23\n"
      "ipmi_temperature_celsius{id=\"3\",name=\"Inlet Temp 2\"} 24\n"
      "ipmi_power_watts{id=\"4\",name=\"Pwr Consumption\"} 450\n"
      "ipmi_dcmi_power_consumption_watts 440\n",
      2);
  ASSERT_EQ(readings.size(), 1U);
  EXPECT_EQ(readings[0].node, 2U);
  EXPECT_EQ(readings[0].inlet_c, 24);
  EXPECT_EQ(readings[0].power_w, 440);
}

TEST_F(SensorPageTest, ReadsAPageOfManyNodes) {
  const std::string first = machine_->NodeName(0);
  const std::string last = machine_->NodeName(3);
  const auto readings = Read(
      "redfish_chassis_temperature_celsius{sensor=\"Inlet\",instance=\"" +
      last +
      ".site.org:9610\"} 21\n"
      "redfish_chassis_temperature_celsius{sensor=\"Inlet\",node=\"" +
      first +
      "\"} 19\n"
      "redfish_chassis_temperature_celsius{sensor=\"Inlet\",node=\"other\"} 9\n"
      "redfish_chassis_power_average_consumed_watts{node=\"" +
      first +
      "\",id=\"1\"} 100\n"
      "redfish_chassis_power_average_consumed_watts{node=\"" +
      first + "\",id=\"2\"} 50\n");
  ASSERT_EQ(readings.size(), 2U);
  EXPECT_EQ(readings[0].node, 0U);
  EXPECT_EQ(readings[0].inlet_c, 19);
  EXPECT_EQ(readings[0].power_w, 150);
  EXPECT_EQ(readings[1].node, 3U);
  EXPECT_EQ(readings[1].inlet_c, 21);
  EXPECT_EQ(readings[1].power_w, std::nullopt);
}

// Exporters report NaN for a sensor without a reading.
TEST_F(SensorPageTest, NanIsAMissingValue) {
  const std::string none = "ipmi_temperature_celsius{name=\"Inlet 1\"} NaN\n";
  const std::string some = "ipmi_temperature_celsius{name=\"Inlet 2\"} 24\n";
  for (const std::string& page : {none + some, some + none}) {
    const auto readings = Read(page, 1);
    ASSERT_EQ(readings.size(), 1U);
    EXPECT_EQ(readings[0].inlet_c, 24);
  }
  EXPECT_TRUE(Read(none, 1).empty());
  EXPECT_TRUE(Read("ipmi_dcmi_power_consumption_watts NaN\n", 1).empty());
}

// A partial sum is not the power of the node.
TEST_F(SensorPageTest, ASumWithAMissingPartIsMissing) {
  const std::string good = "ipmi_power_watts{name=\"1 Consumption\"} 350\n";
  const std::string old_time = " " + std::to_string(kNowMs - 301'000) + "\n";
  for (const std::string& other :
       {std::string("ipmi_power_watts{name=\"2 Consumption\"} NaN\n"),
        "ipmi_power_watts{name=\"2 Consumption\"} 350" + old_time}) {
    EXPECT_TRUE(Read(good + other, 1).empty()) << other;
    EXPECT_TRUE(Read(other + good, 1).empty()) << other;
  }
  const auto readings =
      Read("ipmi_dcmi_power_consumption_watts NaN\n" + good, 1);
  ASSERT_EQ(readings.size(), 1U);
  EXPECT_EQ(readings[0].power_w, 350) << "the next metric of the list";
}

TEST_F(SensorPageTest, AReadingIsAsOldAsItsOldestSample) {
  const auto readings =
      Read("ipmi_temperature_celsius{name=\"Inlet\"} 21 " +
               std::to_string(kNowMs - 200'000) +
               "\nipmi_dcmi_power_consumption_watts 440 " +
               std::to_string(kNowMs + 5'000) +
               "\nipmi_temperature_celsius{name=\"Inlet 2\"} 29 " +
               std::to_string(kNowMs - 301'000) + "\n",
           1);
  ASSERT_EQ(readings.size(), 1U);
  EXPECT_EQ(readings[0].inlet_c, 21);
  EXPECT_EQ(readings[0].power_w, 440);
  EXPECT_EQ(readings[0].age_ms, 200'000);
}

TEST_F(SensorPageTest, RedfishAndIdracExporters) {
  for (const char* inlet :
       {"redfish_thermal_temperatures_reading_celsius{name=\"Inlet Temp\"} "
        "21\n",
        "idrac_sensors_temperature{id=\"0\",name=\"Board Inlet\"} 21\n"}) {
    const auto readings = Read(inlet, 1);
    ASSERT_EQ(readings.size(), 1U) << inlet;
    EXPECT_EQ(readings[0].inlet_c, 21) << inlet;
  }
  for (const char* power :
       {"redfish_power_powercontrol_consumed_watts{id=\"0\"} 310\n",
        "idrac_power_control_consumed_watts{id=\"0\"} 310\n",
        "ipmi_power_watts{name=\"Pwr Consumption\"} 310\n"}) {
    const auto readings = Read(power, 1);
    ASSERT_EQ(readings.size(), 1U) << power;
    EXPECT_EQ(readings[0].power_w, 310) << power;
  }
}

TEST_F(SensorPageTest, IgnoresOtherNodesAndMetrics) {
  EXPECT_TRUE(Read("node_load1 3\nipmi_temperature_celsius{name=\"x\"} 3\n", 1)
                  .empty());
}

}  // namespace
}  // namespace coolspan
