// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/recirculation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "thermal/dense_heat.h"
#include "thermal/sampled_recirculation.h"
#include "thermal/sparse_heat.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

constexpr double kAirflow = 256;

std::shared_ptr<const HeatMatrix> Heat(ZoneId zones,
                                       const std::vector<double>& k_per_w) {
  return DenseHeat::Create(zones, k_per_w).value();
}

// Shares that fall with distance; rows sum to `sum` except at the ends.
std::vector<double> Neighbours(ZoneId zones, double sum) {
  std::vector<double> shares(std::size_t{zones} * zones, 0.0);
  for (ZoneId row = 0; row < zones; ++row) {
    for (const int step : {-2, -1, 1, 2}) {
      const auto column = static_cast<std::int64_t>(row) + step;
      if (column < 0 || column >= zones) continue;
      shares[std::size_t{row} * zones + static_cast<std::size_t>(column)] =
          sum * (std::abs(step) == 1 ? 0.375 : 0.125);
    }
  }
  return shares;
}

// Half of the air leaving zone 0 enters zone 1 and nothing else recirculates,
// so D_10 = a_01 / K_1.
TEST(RecirculationTest, TwoZonesComputedByHand) {
  const std::vector<double> airflow = {100, 200};
  const std::vector<double> a = {0, 0.5, 0, 0};
  const auto d = HeatFromCrossInterference(2, a, airflow);
  ASSERT_TRUE(d.ok()) << d.status();
  EXPECT_NEAR((*d)[0], 0, 1e-15);
  EXPECT_NEAR((*d)[1], 0, 1e-15);
  EXPECT_NEAR((*d)[2], 0.5 / 200, 1e-15);
  EXPECT_NEAR((*d)[3], 0, 1e-15);
  const auto back = RecirculationOf(*Heat(2, *d), airflow);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_NEAR(back->max_row_sum.value, 0.5, 1e-6);
  EXPECT_EQ(back->max_row_sum.zone, 0U);
  EXPECT_NEAR(back->max_column_sum.value, 0.5, 1e-6);
  EXPECT_EQ(back->max_column_sum.zone, 1U);
  EXPECT_FALSE(back->IsDoubtful()) << back->Describe();
}

TEST(RecirculationTest, RecoversAFromItsD) {
  std::minstd_rand random(1);
  constexpr ZoneId kZones = 30;
  std::vector<double> a(kZones * kZones);
  std::vector<double> airflow(kZones);
  for (double& share : a) {
    share = std::uniform_real_distribution<double>(0, 1.6 / kZones)(random);
  }
  for (double& k : airflow) {
    k = std::uniform_real_distribution<double>(100, 400)(random);
  }
  const Recirculation given = RecirculationOf(kZones, a);
  const auto d = HeatFromCrossInterference(kZones, a, airflow);
  ASSERT_TRUE(d.ok()) << d.status();
  const auto found = RecirculationOf(*Heat(kZones, *d), airflow);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->rows, kZones);
  EXPECT_EQ(found->max_row_sum.zone, given.max_row_sum.zone);
  EXPECT_NEAR(found->max_row_sum.value, given.max_row_sum.value, 1e-6);
  EXPECT_EQ(found->max_column_sum.zone, given.max_column_sum.zone);
  EXPECT_NEAR(found->max_column_sum.value, given.max_column_sum.value, 1e-6);
  ASSERT_EQ(found->smallest.size(), Recirculation::kWorst);
  for (std::size_t i = 0; i < found->smallest.size(); ++i) {
    EXPECT_NEAR(found->smallest[i].value, given.smallest[i].value, 1e-6);
    EXPECT_EQ(found->smallest[i].row, given.smallest[i].row);
    EXPECT_EQ(found->smallest[i].column, given.smallest[i].column);
  }
}

TEST(RecirculationTest, DistinguishesRefusedFromDoubtful) {
  const std::vector<double> good = {0.5, 0.5, 0, 0};
  EXPECT_FALSE(RecirculationOf(2, good).IsDoubtful());
  const std::vector<double> little = {-0.01, 0.5, 0, 0.53};
  const Recirculation doubtful = RecirculationOf(2, little);
  EXPECT_FALSE(doubtful.IsRefused());
  EXPECT_TRUE(doubtful.IsDoubtful());
  EXPECT_EQ(doubtful.negative, 1U);
  EXPECT_EQ(doubtful.Describe(),
            "1 negative entries, row 1 column 1 is -0.0100, column 2 sums to "
            "1.030");
  for (const std::vector<double>& bad :
       {std::vector<double>{0.5, 0.5, -0.021, 0},
        {0.5, 0.551, 0, 0},
        {0.5, 0, 0.551, 0}}) {
    EXPECT_TRUE(RecirculationOf(2, bad).IsRefused());
  }
}

TEST(RecirculationTest, RefusesAirThatRecirculatesWithoutEnd) {
  const std::vector<double> airflow = {100, 100};
  for (const std::vector<double>& a :
       {std::vector<double>{0, 1, 1, 0}, {0, 1.04, 1.04, 0}}) {
    const auto d = HeatFromCrossInterference(2, a, airflow);
    ASSERT_FALSE(d.ok());
    EXPECT_THAT(std::string(d.status().message()), HasSubstr("without end"));
  }
  // A = 1 - 1 / (1 + K d) = 1.04 is within the tolerance, but power cools.
  const auto cooling =
      RecirculationOf(*Heat(1, {-0.26}), std::vector<double>{100});
  ASSERT_FALSE(cooling.ok());
  EXPECT_THAT(std::string(cooling.status().message()),
              HasSubstr("cools the inlet of zone 0: row 1"));
  // I + K D is singular.
  EXPECT_FALSE(RecirculationOf(*Heat(2, {0, 0.0078125, 0.0078125, 0}),
                               std::vector<double>{128, 128})
                   .ok());
}

TEST(RecirculationTest, SearchesTheAirflow) {
  // A = 1 - 1 / (1 + K d) = 0.5 at 50 W/K, below 1 for every K.
  const auto found = SearchAirflow(*Heat(1, {0.02}));
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->airflow_w_per_k, 50);
  EXPECT_NEAR(found->max_row_sum.value, 0.5, 1e-6);
  // D < 0 is not physical with any airflow.
  const auto none = SearchAirflow(*Heat(2, {0, -0.01, -0.01, 0}));
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none->IsRefused());
  EXPECT_EQ(none->airflow_w_per_k, 50);
}

// D is computed from a known A, which the sampled check has to find again.
class LargeRoomTest : public ::testing::TestWithParam<double> {
 protected:
  static constexpr ZoneId kZones = 160;
  const std::vector<double> airflow_ = std::vector<double>(kZones, kAirflow);
};

TEST_P(LargeRoomTest, FindsTheSums) {
  std::vector<double> a = Neighbours(kZones, GetParam());
  const std::size_t middle = kZones / 2;
  a[(middle + 2) * kZones + middle] += 0.03;
  const auto d = HeatFromCrossInterference(kZones, a, airflow_);
  ASSERT_TRUE(d.ok()) << d.status();
  const auto found = SampledRecirculation(*Heat(kZones, *d), airflow_);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_GE(found->rows, 12U);
  EXPECT_LT(found->rows, kZones);
  EXPECT_EQ(found->max_row_sum.zone, middle + 2);
  EXPECT_NEAR(found->max_row_sum.value, GetParam() + 0.03, 1e-4);
  EXPECT_EQ(found->max_column_sum.zone, middle);
  EXPECT_NEAR(found->max_column_sum.value, GetParam() + 0.03, 1e-4);
  EXPECT_FALSE(found->IsDoubtful()) << found->Describe();
}
INSTANTIATE_TEST_SUITE_P(Sums, LargeRoomTest, ::testing::Values(0.3, 0.9));

TEST_F(LargeRoomTest, FindsAnEntryBelowZero) {
  std::vector<double> a = Neighbours(kZones, 0.5);
  a[7 * kZones + 3] = -0.2;  // row 7 has the smallest sum
  const auto d = HeatFromCrossInterference(kZones, a, airflow_);
  ASSERT_TRUE(d.ok()) << d.status();
  const auto found = SampledRecirculation(*Heat(kZones, *d), airflow_);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(found->IsRefused());
  EXPECT_EQ(found->smallest.front().row, 7U);
  EXPECT_EQ(found->smallest.front().column, 3U);
  EXPECT_NEAR(found->smallest.front().value, -0.2, 1e-4);
}

// A chain: a quarter of the air of each zone enters the next, so
// D_ij = 4^(j - i) / K below the diagonal.
TEST(RecirculationTest, LargeRoomsAreSampled) {
  constexpr ZoneId kZones = kWholeCheckZones + 1;
  std::vector<MatrixEntry> entries;
  for (ZoneId row = 0; row < kZones; ++row) {
    double value = 1 / kAirflow;
    for (ZoneId back = 1; back <= std::min<ZoneId>(row, 12); ++back) {
      value /= 4;
      entries.push_back({row, row - back, value});
    }
  }
  const auto heat = SparseHeat::Create(kZones, entries);
  ASSERT_TRUE(heat.ok());
  const auto found =
      RecirculationOf(**heat, std::vector<double>(kZones, kAirflow));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_LT(found->rows, kZones);
  EXPECT_NEAR(found->max_row_sum.value, 0.25, 1e-4);
  EXPECT_NEAR(found->max_column_sum.value, 0.25, 1e-4);
  EXPECT_FALSE(found->IsDoubtful()) << found->Describe();
}

}  // namespace
}  // namespace coolspan
