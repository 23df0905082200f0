// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/cooling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "room_machine.h"

namespace coolspan {
namespace {

// joint-allocation-sst, equations 10 to 12.
TEST(CoolingTest, FollowsTheEquations) {
  const auto room = Room::Create(RoomDescription(2, 2, {0, 0, 0, 0})).value();
  const Cooling cooling = CoolingOf(*room, std::vector{18.0, 21.0}, 1000);
  EXPECT_DOUBLE_EQ(cooling.peak_inlet_c, 21);
  EXPECT_EQ(cooling.peak_zone, 1U);
  EXPECT_DOUBLE_EQ(cooling.supply_max_c, 24);
  EXPECT_DOUBLE_EQ(cooling.cop, 0.0068 * 576 + 0.0008 * 24 + 0.458);
  EXPECT_DOUBLE_EQ(cooling.cooling_w, 1000 / cooling.cop);
  EXPECT_DOUBLE_EQ(cooling.cooling_at_supply_w,
                   1000 / (0.0068 * 225 + 0.0008 * 15 + 0.458));
  EXPECT_TRUE(cooling.cop_is_sensible);
}

TEST(CoolingTest, FlagsTemperaturesOutsideTheValidRangeOfTheCopModel) {
  const auto room = Room::Create(RoomDescription(1, 1, {0})).value();
  EXPECT_FALSE(CoolingOf(*room, std::vector{50.0}, 1000).cop_is_sensible);
}

TEST(CoolingTest, CoolingPowerIsInfiniteIfTheCopIsNotPositive) {
  Room::Description description = RoomDescription(1, 1, {0});
  description.cop = {0, 0.1, 0};
  const auto room = Room::Create(std::move(description)).value();
  const Cooling cooling = CoolingOf(*room, std::vector{50.0}, 1000);
  EXPECT_TRUE(std::isinf(cooling.cooling_w));
  EXPECT_FALSE(cooling.cop_is_sensible);
}

}  // namespace
}  // namespace coolspan
