// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/transient.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "room_machine.h"

namespace coolspan {
namespace {

// A watt in node 0 warms inlet 1 by 1/64 K; 200 W more are 3.125 K.
std::shared_ptr<const Room> TwoNodes(double redline_c) {
  Room::Description room = RoomDescription(2, 2, {0, 0, 1.0 / 64, 0});
  room.redline_c = redline_c;
  room.time_constant_s = 100;
  return Room::Create(std::move(room)).value();
}

TEST(TransientTest, FollowsTheExponential) {
  const auto room = TwoNodes(18);
  RoomState before(room);
  RoomState after(room);
  after.Follow(std::vector<NodeLoad>{{1, 0}, {}});
  const double from_c = 15 + 100.0 / 64;
  const double to_c = 15 + 300.0 / 64;
  const Transient transient = TransientOf(before, after, 500, 50);
  ASSERT_EQ(transient.points.size(), 11U);
  for (const Transient::Point& point : transient.points) {
    EXPECT_NEAR(point.inlet_c[0], 15, 1e-9);
    EXPECT_NEAR(point.inlet_c[1],
                to_c + (from_c - to_c) * std::exp(-point.time_s / 100), 1e-9)
        << point.time_s;
  }
  EXPECT_EQ(transient.points.back().time_s, 500);
  ASSERT_TRUE(transient.redline_s.has_value());
  EXPECT_EQ(transient.redline_zone, 1U);
  EXPECT_NEAR(to_c + (from_c - to_c) * std::exp(-*transient.redline_s / 100),
              18, 1e-9);
}

TEST(TransientTest, NoRedlineThatIsNotCrossed) {
  // Never reached; passed before.
  for (const double redline_c : {20.0, 15.5}) {
    const auto room = TwoNodes(redline_c);
    RoomState before(room);
    RoomState after(room);
    after.Follow(std::vector<NodeLoad>{{1, 0}, {}});
    EXPECT_FALSE(TransientOf(before, after, 100, 100).redline_s.has_value());
  }
}

}  // namespace
}  // namespace coolspan
