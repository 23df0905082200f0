// SPDX-License-Identifier: GPL-3.0-or-later
// The sparse and the low-rank form of D against the dense one.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "property/heat_factors.h"
#include "room_machine.h"
#include "thermal/dense_heat.h"
#include "thermal/make_heat.h"

namespace coolspan {
namespace {

using Heat = std::shared_ptr<const HeatMatrix>;

std::vector<double> RandomVector(ZoneId zones, std::minstd_rand& random) {
  std::vector<double> vector(zones);
  for (double& value : vector) {
    value = static_cast<double>(random() % 48000) * HeatMatrix::kPowerStepW;
  }
  return vector;
}

std::vector<ZonePower> SomeOf(const std::vector<double>& power,
                              std::minstd_rand& random) {
  std::vector<ZonePower> some;
  for (ZoneId zone = 0; zone < power.size(); ++zone) {
    if (random() % 2 == 0) some.push_back({zone, power[zone]});
  }
  return some;
}

void RequireNear(const std::vector<double>& a, const std::vector<double>& b,
                 double max_difference) {
  RC_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    RC_ASSERT(std::abs(a[i] - b[i]) <= max_difference);
  }
}

// Every call but UpdateRise. relative: tolerance relative to the largest
// possible sums.
void RequireAlike(const HeatMatrix& heat, const HeatMatrix& oracle,
                  double relative, std::minstd_rand& random) {
  const ZoneId zones = oracle.zone_count();
  RC_ASSERT(heat.zone_count() == zones);
  const double largest = 10e-3;
  std::vector<double> row(zones, 7.0);
  std::vector<double> oracle_row(zones);
  for (ZoneId receiver = 0; receiver < zones; ++receiver) {
    heat.CopyRow(receiver, row);
    oracle.CopyRow(receiver, oracle_row);
    RequireNear(row, oracle_row, largest * relative);
    const ZoneId emitter = static_cast<ZoneId>(random() % zones);
    RC_ASSERT(std::abs(heat.At(receiver, emitter) - oracle_row[emitter]) <=
              largest * relative);
  }
  const std::vector<double> power = RandomVector(zones, random);
  const std::vector<ZonePower> emitters = SomeOf(power, random);
  std::vector<double> rise = RandomVector(zones, random);
  std::vector<double> oracle_rise = rise;
  heat.AddRise(emitters, rise);
  oracle.AddRise(emitters, oracle_rise);
  RequireNear(rise, oracle_rise, largest * 3000 * zones * relative);
  std::vector<double> pull = rise;
  std::vector<double> oracle_pull = rise;
  heat.AddPull(power, pull);
  oracle.AddPull(power, oracle_pull);
  RequireNear(pull, oracle_pull, largest * 3000 * zones * relative);
}

// The rise after a sequence of random changes; power: the power at the end.
std::vector<double> Walk(const HeatMatrix& heat, std::vector<double>& power,
                         std::minstd_rand& random) {
  const ZoneId zones = heat.zone_count();
  std::vector<double> rise(zones, 0.0);
  power.assign(zones, 0.0);
  for (auto steps = 1 + random() % 6; steps > 0; --steps) {
    const std::vector<double> next = RandomVector(zones, random);
    std::vector<ZonePower> changes;
    for (ZoneId zone = 0; zone < zones; ++zone) {
      if (random() % 3 != 0) continue;
      changes.push_back({zone, next[zone] - power[zone]});
      power[zone] = next[zone];
    }
    heat.UpdateRise(changes, power, rise);
  }
  return rise;
}

// The rise after one change to that power.
std::vector<double> AtOnce(const HeatMatrix& heat,
                           const std::vector<double>& power) {
  std::vector<ZonePower> all;
  for (ZoneId zone = 0; zone < power.size(); ++zone) {
    all.push_back({zone, power[zone]});
  }
  std::vector<double> rise(power.size(), 0.0);
  heat.UpdateRise(all, power, rise);
  return rise;
}

RC_GTEST_PROP(HeatMatricesProperty, SparseEqualsDenseToTheLastBit,
              (std::uint32_t seed)) {
  std::minstd_rand random(seed);
  const ZoneId zones = 1 + static_cast<ZoneId>(random() % 12);
  const std::vector<MatrixEntry> entries = RandomEntries(
      zones, zones, 1 + static_cast<unsigned>(random() % 8), 1e-3, random);
  LowRankHeat::Factors factors;
  factors.zones = zones;
  factors.near = entries;
  const Heat dense = DenseHeat::Create(zones, NaiveHeat(factors)).value();
  const Heat sparse = SparseHeat::Create(zones, entries).value();
  RequireAlike(*sparse, *dense, 1e-13, random);
  RequireAlike(*MakeHeat(zones, entries).value(), *dense, 1e-13, random);
  std::vector<double> power;
  const std::vector<double> rise = Walk(*sparse, power, random);
  RC_ASSERT(rise == AtOnce(*dense, power));
}

RC_GTEST_PROP(HeatMatricesProperty, LowRankEqualsDense, (std::uint32_t seed)) {
  std::minstd_rand random(seed);
  const ZoneId zones = 1 + static_cast<ZoneId>(random() % 12);
  const auto cells = static_cast<std::uint32_t>(random() % 4);
  const LowRankHeat::Factors factors = RandomFactors(zones, cells, random);
  const Heat dense = DenseHeat::Create(zones, NaiveHeat(factors)).value();
  const Heat heat = LowRankHeat::Create(factors).value();
  RequireAlike(*heat, *dense, 1e-4, random);  // weights have 16 bits
  // Much closer to a dense D of its own rounded entries.
  std::vector<double> own(std::size_t{zones} * zones);
  for (ZoneId row = 0; row < zones; ++row) {
    heat->CopyRow(row, {&own[std::size_t{row} * zones], zones});
  }
  RequireAlike(*heat, *DenseHeat::Create(zones, own).value(), 1e-9, random);
  std::vector<double> power;
  const std::vector<double> rise = Walk(*heat, power, random);
  RC_ASSERT(rise == AtOnce(*heat, power));
  std::vector<ZonePower> emitters;
  for (ZoneId zone = 0; zone < zones; ++zone) {
    emitters.push_back({zone, power[zone]});
  }
  std::vector<double> sum(zones, 0.0);
  heat->AddRise(emitters, sum);
  RequireNear(rise, sum, 1e-6);
}

}  // namespace
}  // namespace coolspan
