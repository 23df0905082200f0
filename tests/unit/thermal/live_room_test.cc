// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/live_room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "core/room_state.h"
#include "room_machine.h"

namespace coolspan {
namespace {

constexpr NodeCount kNodes = 8;
constexpr TimeMs kStartMs = 1'000'000;

// Eight zones of one node; each warms itself and the next by 0.01 K/W.
std::shared_ptr<const Room> EightZones() {
  std::vector<double> heat(kNodes * kNodes, 0.0);
  for (NodeId node = 0; node < kNodes; ++node) {
    heat[node * kNodes + node] = 0.01;
    heat[(node + 1) % kNodes * kNodes + node] = 0.01;
  }
  return Room::Create(RoomDescription(kNodes, kNodes, heat)).value();
}

class LiveRoomTest : public testing::Test {
 protected:
  LiveRoomTest() : room_(EightZones()), state_(room_), live_(room_, limits()) {
    live_.Follow(state_, kStartMs);
  }

  static SensorLimits limits() {
    SensorLimits limits;
    limits.missing_after_s = 100;
    return limits;
  }
  void Start(NodeId node, TimeMs now_ms) {
    std::vector<NodeLoad> loads(kNodes);
    loads[node] = {1, 0};
    state_.Follow(loads);
    live_.Follow(state_, now_ms);
  }
  // Every 10 s all inlet sensors read the model's temperature plus more_k.
  void ReadAll(double more_k, TimeMs from_ms, TimeMs to_ms,
               std::vector<NodeId> except = {}) {
    for (TimeMs now_ms = from_ms; now_ms <= to_ms; now_ms += 10'000) {
      std::vector<SensorReading> readings;
      for (NodeId node = 0; node < kNodes; ++node) {
        if (std::find(except.begin(), except.end(), node) != except.end()) {
          continue;
        }
        readings.push_back({node, state_.view().inlet_c()[node] + more_k, {}});
      }
      live_.Read(readings, now_ms);
    }
  }

  std::shared_ptr<const Room> room_;
  RoomState state_;
  LiveRoom live_;
};

class RestoredRoomTest : public LiveRoomTest {
 protected:
  // After a quarter of an hour of inlets 2 K above the model, node 1 with 50 W
  // more than the model, and a job that has just started on node 4.
  RestoredRoomTest() {
    ReadAll(2, kStartMs, kStartMs + 900'000);
    now_ms_ = kStartMs + 900'000;
    live_.Read({{{1, {}, 150.0}}}, now_ms_);
    Start(4, now_ms_);
    live_.AdvanceTo(now_ms_ + 10'000);
    now_ms_ += 10'000;
  }
  // Of another process, whose clock may be another one.
  LiveRoom Restored(double age_s) {
    LiveRoom room(room_, limits());
    room.Restore(live_.Learned(), age_s);
    room.Follow(state_, 77'000'000);
    return room;
  }
  static double BiasOf(const LiveRoom& room, ZoneId zone) {
    return room.correction()->bias_k[zone];
  }

  TimeMs now_ms_ = 0;
};

TEST_F(RestoredRoomTest, GoesOnAsBefore) {
  const LiveRoom restored = Restored(0);
  ASSERT_GT(BiasOf(live_, 0), 1);
  for (ZoneId zone = 0; zone < kNodes; ++zone) {
    EXPECT_NEAR(BiasOf(restored, zone), BiasOf(live_, zone), 0.02) << zone;
    EXPECT_NEAR(restored.InletC()[zone], live_.InletC()[zone], 0.02) << zone;
  }
}

TEST_F(RestoredRoomTest, AnOldCorrectionCountsLess) {
  const double bias_k = BiasOf(live_, 0);
  EXPECT_NEAR(BiasOf(Restored(600), 0), bias_k * std::exp(-1.0), 0.02);
  EXPECT_NEAR(BiasOf(Restored(1e9), 0), 0, 1e-9);
  const LiveRoom old = Restored(1e9);
  EXPECT_NEAR(old.InletC()[4], state_.view().inlet_c()[4], 1e-9);
}

TEST_F(RestoredRoomTest, PowerIsCarriedUntilItIsReadOrMissing) {
  LiveRoom restored = Restored(0);
  // 50 W warm zones 1 and 2 by half a kelvin each.
  const double carried_k = BiasOf(restored, 1) - BiasOf(restored, 0);
  EXPECT_NEAR(carried_k, 0.5, 0.02);
  restored.Read({{{1, {}, 100.0}}}, 77'010'000);
  restored.AdvanceTo(77'011'000);
  EXPECT_NEAR(BiasOf(restored, 1) - BiasOf(restored, 0), 0, 0.02) << "read";
  LiveRoom silent = Restored(0);
  silent.AdvanceTo(77'099'000);
  EXPECT_NEAR(BiasOf(silent, 1) - BiasOf(silent, 0), carried_k, 0.05);
  silent.AdvanceTo(77'101'000);
  silent.AdvanceTo(77'102'000);
  EXPECT_NEAR(BiasOf(silent, 1) - BiasOf(silent, 0), 0, 0.05) << "missing";
}

TEST_F(LiveRoomTest, InletsFollowAllocationsWithTheRoomsLag) {
  EXPECT_NEAR(live_.InletC()[0], 17, 1e-9);
  Start(0, kStartMs);
  EXPECT_NEAR(live_.InletC()[0], 17, 1e-9);
  live_.AdvanceTo(kStartMs + 160'000);
  EXPECT_NEAR(live_.InletC()[0], 17 + 2 * (1 - std::exp(-1.0)), 1e-9);
  EXPECT_NEAR(live_.InletC()[1], 17 + 2 * (1 - std::exp(-1.0)), 1e-9);
  EXPECT_NEAR(live_.InletC()[2], 17, 1e-9);
  live_.AdvanceTo(kStartMs + 480'000);
  EXPECT_NEAR(live_.InletC()[0], 17 + 2 * (1 - std::exp(-3.0)), 1e-9);
  live_.AdvanceTo(kStartMs);  // clocks go back
  EXPECT_NEAR(live_.InletC()[0], 17 + 2 * (1 - std::exp(-3.0)), 1e-9);
}

TEST_F(LiveRoomTest, LastingDeviationsBecomeABias) {
  ReadAll(1.5, kStartMs + 10'000, kStartMs + 3'600'000);
  EXPECT_NEAR(live_.InletC()[3], 18.5, 0.02);
  EXPECT_NEAR(live_.correction()->bias_k[3], 1.5, 0.02);
  EXPECT_GT(live_.correction()->version, 0U);
  EXPECT_THAT(live_.TakeAlarms(), testing::IsEmpty());
}

TEST_F(LiveRoomTest, AnOutlierRaisesAnAlarmAndIsIgnored) {
  ReadAll(0, kStartMs + 10'000, kStartMs + 60'000);
  const std::vector<SensorReading> outlier = {{5, 40.0, {}}};
  for (int i = 7; i < 60; ++i) {
    ReadAll(0, kStartMs + i * 10'000, kStartMs + i * 10'000, {5});
    live_.Read(outlier, kStartMs + i * 10'000);
  }
  const std::vector<SensorAlarm> alarms = live_.TakeAlarms();
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_EQ(alarms[0].node, 5U);
  EXPECT_EQ(alarms[0].state, SensorState::kDeviant);
  EXPECT_EQ(alarms[0].value, 40);
  EXPECT_NEAR(alarms[0].expected, 17, 1e-6);
  EXPECT_NEAR(live_.InletC()[5], 17, 1e-6);
  ReadAll(0, kStartMs + 610'000, kStartMs + 610'000);
  EXPECT_EQ(live_.inlet_state(5), SensorState::kGood);
  EXPECT_EQ(live_.TakeAlarms().size(), 1U);
}

// If all sensors deviate alike, the supply air is warmer than configured.
TEST_F(LiveRoomTest, EqualDeviationsOfAllSensorsAreNotOutliers) {
  ReadAll(9, kStartMs + 10'000, kStartMs + 7'200'000);
  EXPECT_THAT(live_.TakeAlarms(), testing::IsEmpty());
  EXPECT_NEAR(live_.InletC()[2], 26, 0.02);
}

TEST_F(LiveRoomTest, TheInletOfAMissingSensorFallsBackToTheModel) {
  ReadAll(2, kStartMs + 10'000, kStartMs + 3'000'000);
  EXPECT_NEAR(live_.InletC()[6], 19, 0.1);
  ReadAll(2, kStartMs + 3'010'000, kStartMs + 9'000'000, {6});
  const std::vector<SensorAlarm> alarms = live_.TakeAlarms();
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_EQ(alarms[0].node, 6U);
  EXPECT_EQ(alarms[0].state, SensorState::kMissing);
  EXPECT_NEAR(live_.InletC()[6], 17, 0.1);
  EXPECT_NEAR(live_.InletC()[5], 19, 0.1);
}

TEST_F(LiveRoomTest, ASensorWithoutAnyReadingIsMissingToo) {
  ReadAll(0, kStartMs + 10'000, kStartMs + 300'000, {1});
  const std::vector<SensorAlarm> alarms = live_.TakeAlarms();
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_EQ(alarms[0].node, 1U);
  EXPECT_EQ(alarms[0].state, SensorState::kMissing);
}

TEST_F(LiveRoomTest, ImplausibleTemperaturesAreAbsurd) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double absurd : {nan, -273.0, 1e9}) {
    live_.Read(std::vector<SensorReading>{{2, absurd, {}}}, kStartMs + 1000);
    EXPECT_EQ(live_.inlet_state(2), SensorState::kAbsurd) << absurd;
    EXPECT_NEAR(live_.InletC()[2], 17, 1e-9);
  }
}

TEST_F(LiveRoomTest, MeasuredPowerWarmsTheRoom) {
  live_.Read(std::vector<SensorReading>{{0, {}, 250.0}}, kStartMs + 70'000);
  live_.AdvanceTo(kStartMs + 171'000);
  EXPECT_EQ(live_.power_state(0), SensorState::kMissing);
  live_.AdvanceTo(kStartMs + 10'000'000);
  EXPECT_NEAR(live_.InletC()[1], 17, 1e-6);
  live_.Read(std::vector<SensorReading>{{0, {}, 250.0}}, kStartMs + 10'000'000);
  live_.AdvanceTo(kStartMs + 10'080'000);
  EXPECT_NEAR(live_.correction()->bias_k[1], 1.5, 1e-9);
  EXPECT_NEAR(live_.InletC()[1], 17 + 1.5 * (1 - std::exp(-0.5)), 1e-9);
  live_.Read(std::vector<SensorReading>{{0, {}, 1e6}}, kStartMs + 10'080'000);
  EXPECT_EQ(live_.power_state(0), SensorState::kAbsurd);
}

// As with power readings from Slurm and no inlet sensors.
TEST_F(LiveRoomTest, IfOnlyPowerIsMeasuredNoInletIsMissing) {
  live_.Read(std::vector<SensorReading>{{0, {}, 100.0}}, kStartMs + 1000);
  live_.AdvanceTo(kStartMs + 150'000);
  EXPECT_EQ(live_.inlet_state(0), SensorState::kUnknown);
  const std::vector<SensorAlarm> alarms = live_.TakeAlarms();
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_TRUE(alarms[0].is_power);
  EXPECT_EQ(alarms[0].state, SensorState::kMissing);
}

// A power reading that lags behind an allocation must not cancel its predicted
// power.
TEST_F(LiveRoomTest, PowerIsIgnoredJustAfterAStart) {
  live_.Read(std::vector<SensorReading>{{0, {}, 100.0}}, kStartMs + 100'000);
  Start(0, kStartMs + 100'000);
  live_.Read(std::vector<SensorReading>{{0, {}, 100.0}}, kStartMs + 110'000);
  live_.AdvanceTo(kStartMs + 120'000);
  EXPECT_EQ(live_.correction()->bias_k[0], 0);
  live_.Read(std::vector<SensorReading>{{0, {}, 280.0}}, kStartMs + 170'000);
  live_.AdvanceTo(kStartMs + 180'000);
  EXPECT_NEAR(live_.correction()->bias_k[0], -0.2, 1e-9);
}

// Telemetry pages may state the age of their readings.
TEST_F(LiveRoomTest, PowerReadBeforeAStartIsIgnoredAfterIt) {
  Start(0, kStartMs + 100'000);
  live_.Read(std::vector<SensorReading>{{0, {}, 100.0, 50'000}},
             kStartMs + 190'000);
  live_.AdvanceTo(kStartMs + 195'000);
  EXPECT_EQ(live_.power_state(0), SensorState::kGood);
  EXPECT_EQ(live_.correction()->bias_k[0], 0);
  live_.Read(std::vector<SensorReading>{{0, {}, 280.0, 20'000}},
             kStartMs + 200'000);
  live_.AdvanceTo(kStartMs + 205'000);
  EXPECT_NEAR(live_.correction()->bias_k[0], -0.2, 1e-9);
}

TEST_F(LiveRoomTest, TheAgeOfAReadingCountsTowardsMissing) {
  live_.Read(std::vector<SensorReading>{{4, 17.0, {}}}, kStartMs + 50'000);
  live_.Read(std::vector<SensorReading>{{4, 17.0, {}, 80'000}},
             kStartMs + 130'000);
  live_.AdvanceTo(kStartMs + 149'000);
  EXPECT_EQ(live_.inlet_state(4), SensorState::kGood);
  live_.AdvanceTo(kStartMs + 155'000);
  EXPECT_EQ(live_.inlet_state(4), SensorState::kMissing);
}

// Ten nodes in each zone, one of them busy: 300 W, the others 100 W. A reading
// is compared with the node's own modelled power, not with a tenth of the
// zone's.
class SharedZoneTest : public testing::Test {
 protected:
  SharedZoneTest()
      : room_(
            Room::Create(RoomDescription(20, 2, {0.001, 0, 0, 0.001})).value()),
        state_(room_),
        live_(room_) {
    std::vector<NodeLoad> loads(20);
    loads[0] = {1, 0};
    state_.Follow(loads);
    live_.Follow(state_, kStartMs);
  }
  void Read(const std::vector<SensorReading>& readings) {
    now_ms_ += 100'000;
    live_.Read(readings, now_ms_);
  }
  // Correction of the first zone after some time.
  double BiasK(TimeMs later_ms = 100'000) {
    now_ms_ += later_ms;
    live_.AdvanceTo(now_ms_);
    return live_.correction()->bias_k[0];
  }

  std::shared_ptr<const Room> room_;
  RoomState state_;
  LiveRoom live_;
  TimeMs now_ms_ = kStartMs;
};

TEST_F(SharedZoneTest, ReadingsEqualToTheModelCauseNoCorrection) {
  Read({{0, {}, 300.0}});
  EXPECT_EQ(BiasK(), 0);
  Read({{0, {}, 300.0}, {1, {}, 100.0}});
  EXPECT_EQ(BiasK(), 0);
  EXPECT_EQ(BiasK(400'000), 0);
  EXPECT_EQ(live_.power_state(0), SensorState::kMissing);
  Read({{1, {}, 100.0}});  // while the busy node's meter is missing
  EXPECT_EQ(BiasK(), 0);
}

TEST_F(SharedZoneTest, ExcessPowerOfANodeCausesACorrection) {
  Read({{0, {}, 350.0}});
  EXPECT_NEAR(BiasK(), 0.05, 0.01);
  Read({{0, {}, -1.0}});
  const std::vector<SensorAlarm> alarms = live_.TakeAlarms();
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_NEAR(alarms[0].expected, 300, 1e-6);
}

// The power of the zone stays the same, that of its nodes changes.
TEST_F(SharedZoneTest, AJobMovedWithinItsZoneCausesNoCorrection) {
  Read({{0, {}, 300.0}, {1, {}, 100.0}});
  std::vector<NodeLoad> loads(20);
  loads[1] = {1, 0};
  state_.Follow(loads);
  live_.Follow(state_, now_ms_);
  EXPECT_EQ(BiasK(), 0);
  Read({{0, {}, 100.0}, {1, {}, 300.0}});
  EXPECT_EQ(BiasK(), 0);
}

}  // namespace
}  // namespace coolspan
