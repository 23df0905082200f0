// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/dense_heat.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "room_machine.h"

namespace coolspan {
namespace {

// An asymmetric matrix, as a symmetric one would not reveal a transpose.
TEST(DenseHeatTest, RowsReceiveAndColumnsEmit) {
  const auto heat = DenseHeat::Create(2, std::vector{0.5, 0.25, 0.125, 0.0});
  ASSERT_TRUE(heat.ok());
  EXPECT_EQ((*heat)->At(0, 1), 0.25);
  std::vector<double> rise(2, 1.0);
  (*heat)->AddRise(std::vector<ZonePower>{{1, 4}}, rise);
  EXPECT_EQ(rise, (std::vector{2.0, 1.0}));
  std::vector<double> pull(2, 0.0);
  (*heat)->AddPull(std::vector{1.0, 2.0}, pull);
  EXPECT_EQ(pull, (std::vector{0.75, 0.25}));
  std::vector<double> row(2);
  (*heat)->CopyRow(1, row);
  EXPECT_EQ(row, (std::vector{0.125, 0.0}));
}

TEST(DenseHeatTest, RiseDependsOnThePowerAlone) {
  constexpr ZoneId kZones = 30;
  const auto heat = DenseHeat::Create(kZones, RandomHeat(kZones, 1e-3, 1));
  ASSERT_TRUE(heat.ok());
  std::minstd_rand random(2);
  std::vector<double> power(kZones, 0.0);
  std::vector<double> rise(kZones, 0.0);
  for (int step = 0; step < 1000; ++step) {
    const ZoneId zone = static_cast<ZoneId>(random() % kZones);
    const double watts = static_cast<double>(random() % 50000) / 16;
    const std::vector<ZonePower> change = {{zone, watts - power[zone]}};
    power[zone] = watts;
    (*heat)->UpdateRise(change, power, rise);
  }
  std::vector<ZonePower> all;
  for (ZoneId zone = 0; zone < kZones; ++zone)
    all.push_back({zone, power[zone]});
  std::vector<double> at_once(kZones, 0.0);
  (*heat)->UpdateRise(all, power, at_once);
  EXPECT_EQ(rise, at_once);
}

TEST(DenseHeatTest, RefusesAWrongNumberOfEntriesAndNan) {
  EXPECT_EQ(DenseHeat::Create(2, std::vector{1.0, 2.0, 3.0}).status().message(),
            "3 entries for 2 zones (expected 4)");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(
      DenseHeat::Create(2, std::vector{1.0, 2.0, nan, 0.0}).status().message(),
      "row 2, column 1 is nan (expected a finite number)");
}

}  // namespace
}  // namespace coolspan
