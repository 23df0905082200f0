// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/one_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace coolspan {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kTimeConstantS = 100;

// One zone that warms itself by 0.01 K/W, with its inlet 2 K above the model;
// power alternates between 100 and 300 W, stepping just after a reading.
RoomHistory OneZone(std::size_t instants, double interval_s) {
  const double kept = std::exp(-interval_s / kTimeConstantS);
  RoomHistory history;
  history.interval_s = interval_s;
  history.zones = 1;
  double lagged_w = 100;
  for (std::size_t i = 0; i < instants; ++i) {
    const double watts = i / 5 % 2 == 0 ? 100 : 300;
    history.inlet_c.push_back(15 + 2 + 0.01 * lagged_w);
    history.power_w.push_back(watts);
    history.supply_c.push_back(15);
    lagged_w = kept * lagged_w + (1 - kept) * watts;
  }
  return history;
}

TEST(OneStepTest, ThePredictionFollowsPowerAndLearnsTheBias) {
  // Power steps between readings hardly matter at this interval.
  const RoomHistory history = OneZone(4000, 1);
  const auto error = PredictOneStep(history, std::vector<double>{0.01},
                                    kTimeConstantS, 1000, 2000);
  EXPECT_EQ(error.model.readings, 2000U);
  EXPECT_EQ(error.persistence.readings, 2000U);
  EXPECT_LT(error.model.rms_k, 0.002);
  EXPECT_GT(error.persistence.rms_k, 2 * error.model.rms_k);
}

TEST(OneStepTest, PersistenceIsTheLastReading) {
  RoomHistory history = OneZone(60, 600);
  for (std::size_t i = 0; i < 60; ++i) {
    history.inlet_c[i] = i % 2 == 0 ? 20 : 21;
    history.power_w[i] = 100;
  }
  history.inlet_c[50] = kMissing;  // neither 50 nor 51 counts
  const auto error = PredictOneStep(history, std::vector<double>{0.01},
                                    kTimeConstantS, 20, 40);
  EXPECT_EQ(error.persistence.readings, 18U);
  EXPECT_DOUBLE_EQ(error.persistence.rms_k, 1);
  EXPECT_DOUBLE_EQ(error.persistence.mean_abs_k, 1);
  // The best prediction of the alternating inlet is its mean: half a kelvin
  // off.
  EXPECT_LT(error.model.rms_k, 0.6);
  EXPECT_GT(error.bias_time_s, 5 * 600);
}

// The prediction of the last reading depends neither on it nor on its power.
TEST(OneStepTest, PredictionsUseNoLaterReadings) {
  const RoomHistory history = OneZone(60, 60);
  RoomHistory other = history;
  const std::vector<double> heat = {0.01};
  const auto rms_k = [&](const RoomHistory& readings) {
    const auto error = PredictOneStep(readings, heat, kTimeConstantS, 20, 59);
    EXPECT_EQ(error.model.readings, 1U);
    return error.model.rms_k;
  };
  const double before_k = rms_k(history);
  other.power_w.back() = 5000;
  EXPECT_EQ(rms_k(other), before_k);
  other.inlet_c.back() += 3;
  EXPECT_NEAR(std::abs(rms_k(other) - before_k), 3, 2 * before_k + 1e-9);
}

}  // namespace
}  // namespace coolspan
