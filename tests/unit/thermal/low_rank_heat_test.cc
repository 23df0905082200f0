// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/low_rank_heat.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "thermal/dense_heat.h"
#include "thermal/make_heat.h"

namespace coolspan {
namespace {

// Zone 1 warms the air of cell 0, from which 0 and 2 draw, 2 half as much;
// zone 0 warms zone 1 directly.
LowRankHeat::Factors ThreeZones() {
  LowRankHeat::Factors factors;
  factors.zones = 3;
  factors.cells = 1;
  factors.near = {{1, 0, 0.25}};
  factors.draw = {{0, 0, 2}, {2, 0, 1}};
  factors.flow = {{0, 0, 0.125}};
  factors.emit = {{0, 1, 0.5}};
  return factors;
}

std::string MessageOfCreating(const LowRankHeat::Factors& factors) {
  return std::string(LowRankHeat::Create(factors).status().message());
}

TEST(LowRankHeatTest, ZonesWarmOthersThroughCells) {
  const auto heat = LowRankHeat::Create(ThreeZones()).value();
  EXPECT_EQ(heat->zone_count(), 3U);
  EXPECT_EQ(heat->At(0, 1), 0.125);
  EXPECT_EQ(heat->At(2, 1), 0.0625);
  EXPECT_EQ(heat->At(1, 0), 0.25);
  EXPECT_EQ(heat->At(1, 1), 0);
  std::vector<double> row(3);
  heat->CopyRow(2, row);
  EXPECT_EQ(row, (std::vector<double>{0, 0.0625, 0}));
  std::vector<double> rise(3, 0.0);
  heat->UpdateRise(std::vector<ZonePower>{{0, 4}, {1, 16}},
                   std::vector<double>{4, 16, 0}, rise);
  EXPECT_EQ(rise, (std::vector{2.0, 1.0, 1.0}));
  std::vector<double> pull(3, 1.0);
  heat->AddPull(std::vector<double>{8, 0, 0}, pull);
  EXPECT_EQ(pull, (std::vector{1.0, 2.0, 1.0}));
}

// Small contributions of 2,000 zones: rounding errors must not add up.
TEST(LowRankHeatTest, SmallContributionsOfManyZonesAreNotRoundedAway) {
  LowRankHeat::Factors factors;
  factors.zones = 2000;
  factors.cells = 1;
  for (ZoneId zone = 0; zone < factors.zones; ++zone) {
    factors.draw.push_back({zone, 0, 1});
    factors.emit.push_back({0, zone, 1});
  }
  factors.flow = {{0, 0, 1e-9}};
  const auto heat = LowRankHeat::Create(factors).value();
  const std::vector<double> power(factors.zones, 1000.0);
  std::vector<ZonePower> changes;
  for (ZoneId zone = 0; zone < factors.zones; ++zone) {
    changes.push_back({zone, 1000});
  }
  std::vector<double> rise(factors.zones, 0.0);
  heat->UpdateRise(changes, power, rise);
  EXPECT_NEAR(rise[7], 2e-3, 4e-9);
}

TEST(LowRankHeatTest, ErrorsNameTheFactor) {
  LowRankHeat::Factors outside = ThreeZones();
  outside.draw.push_back({1, 1, 1});
  EXPECT_EQ(MessageOfCreating(outside),
            "draw: row 2, column 2 is outside the 3 x 1 matrix");
  LowRankHeat::Factors twice = ThreeZones();
  twice.near.push_back({1, 0, 1});
  EXPECT_EQ(MessageOfCreating(twice),
            "near: row 2, column 1 is specified more than once");
  LowRankHeat::Factors rounded_to_zero = ThreeZones();
  rounded_to_zero.draw.push_back({0, 0, 1e-9});
  EXPECT_EQ(MessageOfCreating(rounded_to_zero),
            "draw: row 1, column 1 is specified more than once");
  LowRankHeat::Factors infinite = ThreeZones();
  infinite.flow[0].value = std::numeric_limits<double>::infinity();
  EXPECT_EQ(MessageOfCreating(infinite),
            "flow: row 1, column 1 is inf (expected a finite number)");
  LowRankHeat::Factors huge = ThreeZones();
  huge.emit[0].value = 1e300;
  huge.flow[0].value = 1e300;
  EXPECT_EQ(MessageOfCreating(huge),
            "flow: row 1, column 1 is inf (expected a finite number)");
}

TEST(MakeHeatTest, ChoosesTheFormThatTakesLessMemory) {
  const std::vector<MatrixEntry> few = {{0, 1, 0.5}, {3, 3, 0.25}};
  const auto sparse = MakeHeat(4, few).value();
  EXPECT_NE(dynamic_cast<const SparseHeat*>(sparse.get()), nullptr);
  EXPECT_EQ(sparse->At(3, 3), 0.25);
  const auto dense =
      MakeHeat(2, std::vector<MatrixEntry>{{0, 1, 0.5}, {1, 0, 1}}).value();
  EXPECT_NE(dynamic_cast<const DenseHeat*>(dense.get()), nullptr);
  EXPECT_EQ(dense->At(0, 1), 0.5);
  EXPECT_EQ(dense->At(1, 0), 1);
  EXPECT_FALSE(MakeHeat(3, few).ok());
}

}  // namespace
}  // namespace coolspan
