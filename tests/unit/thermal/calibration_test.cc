// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "simulated_plant.h"
#include "thermal/dense_heat.h"
#include "thermal/lagged_power.h"
#include "thermal/room_plan.h"

namespace coolspan {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// A synthetic room of 40 zones.
std::shared_ptr<const HeatMatrix> RoomOf(std::uint64_t seed, double full_c,
                                         double recirculation) {
  RoomPlan plan;
  plan.rows = 2;
  plan.racks = 5;
  plan.nodes_per_rack = 4;
  plan.busy_w = 3000;
  plan.idle_peak_c = 20;
  plan.full_peak_c = full_c;
  plan.recirculation = recirculation;
  plan.seed = seed;
  return LowRankHeat::Create(MakeUpRoom(plan)->heat).value();
}

// Error of predictions from the sensors' power readings against the true rises
// without noise, over the held-out instants.
PredictionError TrueError(const Calibration& learnt, const PlantRun& run,
                          double time_constant_s) {
  const LaggedPower power = LagPower(run.readings, time_constant_s);
  const ZoneId zones = run.readings.zones;
  PredictionError error;
  for (std::size_t t = run.readings.instants() - learnt.held_out_instants;
       t < run.readings.instants(); ++t) {
    for (ZoneId i = 0; i < zones; ++i) {
      double off_k = -run.rise_k[t * zones + i];
      for (ZoneId j = 0; j < zones; ++j) {
        off_k += learnt.k_per_w[std::size_t{i} * zones + j] *
                 power.watts(j, static_cast<Eigen::Index>(t));
      }
      error.rms_k += off_k * off_k;
      error.mean_abs_k += std::abs(off_k);
      ++error.readings;
    }
  }
  const auto count = static_cast<double>(error.readings);
  error.rms_k = std::sqrt(error.rms_k / count);
  error.mean_abs_k /= count;
  return error;
}

// The plant differs from the model as real rooms do: rises that grow faster
// than power, a drift, half a kelvin of noise, readings in whole kelvins, 5 %
// of them missing.
TEST(CalibrationTest, LearnsANoisyNonlinearDriftingPlant) {
  const PlantRun run = RunPlant(*RoomOf(1, 41, 0.6), PlantOptions{});
  const auto prior = RoomOf(2, 34, 0.45);
  const auto learnt = Calibrate(*prior, run.readings, {});
  ASSERT_TRUE(learnt.ok()) << learnt.status();
  const PredictionError truth = TrueError(*learnt, run, 160);
  EXPECT_LT(truth.rms_k, 0.4);
  EXPECT_LT(truth.mean_abs_k, 0.4);
  // The estimates users see come close to the true error.
  EXPECT_NEAR(learnt->held_out.model_k(), truth.rms_k, 0.05);
  EXPECT_NEAR(learnt->held_out.noise_k, std::sqrt(0.25 + 1.0 / 12), 0.02);
  EXPECT_GT(learnt->prior_held_out.rms_k, 2);
  for (const double entry : learnt->k_per_w) EXPECT_GE(entry, 0);
}

TEST(CalibrationTest, RecoversEachEntryOfDFromCleanTelemetry) {
  PlantOptions clean;
  clean.noise_k = 0.01;
  clean.step_k = 0.001;
  clean.non_linear = 0;
  clean.drift_k = 0;
  clean.instants = 3000;
  const auto hidden = RoomOf(1, 41, 0.6);
  const PlantRun run = RunPlant(*hidden, clean);
  const auto learnt = Calibrate(*RoomOf(2, 34, 0.45), run.readings, {});
  ASSERT_TRUE(learnt.ok()) << learnt.status();
  for (ZoneId i = 0; i < 40; ++i) {
    for (ZoneId j = 0; j < 40; ++j) {
      EXPECT_NEAR(learnt->k_per_w[i * 40 + j] * 3000, hidden->At(i, j) * 3000,
                  0.1)
          << i << ' ' << j;
    }
  }
}

// D from its transpose: physics cannot tell, the readings of inlets can.
TEST(CalibrationTest, TellsAPriorFromItsTranspose) {
  const auto hidden = RoomOf(1, 41, 0.6);
  const PlantRun run = RunPlant(*hidden, PlantOptions{.instants = 600});
  std::vector<double> transposed(40 * 40);
  for (ZoneId i = 0; i < 40; ++i) {
    for (ZoneId j = 0; j < 40; ++j) transposed[j * 40 + i] = hidden->At(i, j);
  }
  const auto swapped =
      Calibrate(*DenseHeat::Create(40, transposed).value(), run.readings, {});
  ASSERT_TRUE(swapped.ok()) << swapped.status();
  EXPECT_LT(swapped->prior_transposed_held_out.rms_k,
            0.5 * swapped->prior_held_out.rms_k);
  EXPECT_GT(swapped->transposed_held_out.rms_k, swapped->held_out.rms_k);
  const auto right = Calibrate(*hidden, run.readings, {});
  ASSERT_TRUE(right.ok()) << right.status();
  EXPECT_NEAR(right->prior_held_out.rms_k,
              swapped->prior_transposed_held_out.rms_k, 1e-6);
  EXPECT_NEAR(right->prior_transposed_held_out.rms_k,
              swapped->prior_held_out.rms_k, 1e-6);
}

// With a wrong time constant the same data give a much worse D.
TEST(CalibrationTest, TakesTheLagIntoAccount) {
  PlantOptions slow;
  slow.time_constant_s = 600;
  const PlantRun run = RunPlant(*RoomOf(1, 41, 0.6), slow);
  const auto prior = RoomOf(2, 34, 0.45);
  const auto with = Calibrate(*prior, run.readings, {.time_constant_s = 600});
  const auto without = Calibrate(*prior, run.readings, {.time_constant_s = 1});
  ASSERT_TRUE(with.ok() && without.ok());
  EXPECT_LT(with->held_out.model_k(), 0.4);
  EXPECT_GT(without->held_out.model_k(), 2 * with->held_out.model_k());
}

TEST(CalibrationTest, KeepsThePriorIfPowerNeverChanges) {
  const auto prior = RoomOf(1, 41, 0.6);
  RoomHistory constant;
  constant.interval_s = 600;
  constant.zones = 40;
  const std::size_t instants = 200;
  std::vector<ZonePower> idle;
  for (ZoneId zone = 0; zone < 40; ++zone) idle.push_back({zone, 1000});
  std::vector<double> rise(40, 0.0);
  prior->AddRise(idle, rise);
  for (std::size_t i = 0; i < instants; ++i) {
    for (const double rise_k : rise) constant.inlet_c.push_back(15 + rise_k);
    constant.power_w.insert(constant.power_w.end(), 40, 1000.0);
    constant.supply_c.push_back(15);
  }
  const auto learnt = Calibrate(*prior, constant, {});
  ASSERT_TRUE(learnt.ok()) << learnt.status();
  for (ZoneId i = 0; i < 40; ++i) {
    EXPECT_NEAR(learnt->k_per_w[i * 40 + 7], prior->At(i, 7), 1e-6);
  }
}

// The constant is what a reader would take from the fitted part by hand.
TEST(CalibrationTest, ComparesWithTheMeanOfEachZone) {
  PlantOptions few;
  few.instants = 400;
  few.dropouts = 0;
  const PlantRun run = RunPlant(*RoomOf(1, 41, 0.6), few);
  const auto learnt = Calibrate(*RoomOf(2, 34, 0.45), run.readings, {});
  ASSERT_TRUE(learnt.ok()) << learnt.status();
  const std::size_t end = run.readings.instants();
  const std::size_t held_out = end - learnt->held_out_instants;
  const std::size_t begin = held_out - learnt->fitted_instants;
  double squares = 0;
  for (ZoneId zone = 0; zone < 40; ++zone) {
    const auto rise = [&](std::size_t i) {
      return run.readings.inlet_c[i * 40 + zone] - run.readings.supply_c[i];
    };
    double mean = 0;
    for (std::size_t i = begin; i < held_out; ++i) mean += rise(i);
    mean /= static_cast<double>(held_out - begin);
    for (std::size_t i = held_out; i < end; ++i) {
      squares += (rise(i) - mean) * (rise(i) - mean);
    }
  }
  const auto readings = static_cast<double>(40 * (end - held_out));
  EXPECT_NEAR(learnt->mean_held_out.rms_k, std::sqrt(squares / readings), 1e-9);
  EXPECT_EQ(learnt->mean_held_out.readings, 40 * (end - held_out));
  EXPECT_LT(learnt->held_out.rms_k, learnt->mean_held_out.rms_k);
}

TEST(CalibrationTest, NamesZonesWhosePowerHardlyMoves) {
  PlantOptions few;
  few.instants = 400;
  few.dropouts = 0;
  PlantRun run = RunPlant(*RoomOf(1, 41, 0.6), few);
  for (std::size_t i = 0; i < few.instants; ++i) {
    run.readings.power_w[i * 40 + 5] = 0;                         // off
    run.readings.power_w[i * 40 + 17] = i % 2 == 0 ? 990 : 1010;  // noise
    run.readings.power_w[i * 40 + 18] = i / 50 % 2 == 0 ? 900 : 1100;
  }
  const auto learnt = Calibrate(*RoomOf(2, 34, 0.45), run.readings, {});
  ASSERT_TRUE(learnt.ok()) << learnt.status();
  EXPECT_EQ(learnt->still_zones, (std::vector<ZoneId>{5, 17}));
}

TEST(CalibrationTest, NamesTheZoneWithoutPower) {
  PlantOptions few;
  few.instants = 300;
  PlantRun run = RunPlant(*RoomOf(1, 41, 0.6), few);
  for (std::size_t i = 0; i < few.instants; ++i) {
    run.readings.power_w[i * 40 + 17] = kMissing;
  }
  EXPECT_EQ(
      std::string(
          Calibrate(*RoomOf(2, 34, 0.45), run.readings, {}).status().message()),
      "only 0 of 300 time steps are usable, those after 4 time constants of "
      "known power (expected at least 25, so that 5 or more each remain to "
      "fit, to choose the regularisation and to hold out): use longer "
      "telemetry, or power readings of all nodes without long gaps (zone 17 "
      "has none at 300 time steps)");
  few.instants = 20;
  few.dropouts = 0;
  run = RunPlant(*RoomOf(1, 41, 0.6), few);
  EXPECT_EQ(
      std::string(
          Calibrate(*RoomOf(2, 34, 0.45), run.readings, {}).status().message()),
      "only 9 of 20 time steps are usable, those after 4 time constants of "
      "known power (expected at least 25, so that 5 or more each remain to "
      "fit, to choose the regularisation and to hold out): use longer "
      "telemetry");
}

TEST(LaggedPowerTest, FollowsTheExactLag) {
  RoomHistory history;
  history.interval_s = 10;
  history.zones = 1;
  // 0 W, then a ramp of 10 W a second, with gaps.
  for (int i = 0; i < 200; ++i) {
    const double watts = i < 20 ? 0 : 100.0 * (i - 20);
    history.power_w.push_back(i % 7 == 3 || i % 7 == 4 ? kMissing : watts);
    history.inlet_c.push_back(20);
    history.supply_c.push_back(15);
  }
  const LaggedPower lagged = LagPower(history, 50);
  for (Eigen::Index i = 30; i < 195; ++i) {
    const double since_s = 10.0 * static_cast<double>(i - 20);
    const double exact = 10 * (since_s - 50 * (1 - std::exp(-since_s / 50)));
    // The gap at the start of the ramp is interpolated, which is a little off.
    EXPECT_NEAR(lagged.watts(0, i), exact, 30 * std::exp(-since_s / 50) + 1e-6);
  }
  EXPECT_FALSE(lagged.usable[19]);  // 4 x 50 s from the start
  EXPECT_TRUE(lagged.usable[20]);
}

// One of 50 zones stops reporting: its mean is assumed. Two: there is a gap.
TEST(LaggedPowerTest, AssumesTheMeanOfFewZones) {
  RoomHistory history;
  history.interval_s = 1000;
  history.zones = 50;
  history.power_w.assign(std::size_t{50} * 40, 500.0);
  history.inlet_c.assign(std::size_t{50} * 40, 20.0);
  history.supply_c.assign(40, 15.0);
  for (std::size_t i = 0; i < 40; ++i) {
    history.power_w[i * 50 + 7] =
        i < 20 ? (i % 2 == 0 ? 100.0 : 300.0) : kMissing;
  }
  const LaggedPower one = LagPower(history, 100);
  EXPECT_EQ(one.assumed[7], 20U);
  EXPECT_EQ(one.unknown[7], 0U);
  EXPECT_TRUE(one.usable[39]);
  EXPECT_NEAR(one.watts(7, 39), 200, 1e-6);
  for (std::size_t i = 25; i < 40; ++i) history.power_w[i * 50 + 8] = kMissing;
  const LaggedPower two = LagPower(history, 100);
  EXPECT_EQ(two.assumed[7], 5U);
  EXPECT_EQ(two.unknown[7], 15U);
  EXPECT_TRUE(two.usable[24]);
  EXPECT_FALSE(two.usable[39]);
}

TEST(LaggedPowerTest, WaitsAfterALongGap) {
  RoomHistory history;
  history.interval_s = 100;
  history.zones = 1;
  history.power_w.assign(60, 500.0);
  history.inlet_c.assign(60, 20.0);
  history.supply_c.assign(60, 15.0);
  for (std::size_t i = 30; i < 36; ++i) history.power_w[i] = kMissing;
  const LaggedPower lagged = LagPower(history, 100);
  EXPECT_TRUE(lagged.usable[29]);
  EXPECT_FALSE(lagged.usable[30]);
  EXPECT_FALSE(lagged.usable[39]);
  EXPECT_TRUE(lagged.usable[40]);
  EXPECT_EQ(lagged.unknown[0], 6U);
}

}  // namespace
}  // namespace coolspan
