// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/heat_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace coolspan {
namespace {

TEST(RoundedToStepsTest, IsTheNearestMultiple) {
  EXPECT_EQ(RoundedToSteps<4>(0.1), 2.0 / 16);
  EXPECT_EQ(RoundedToSteps<4>(-0.1), -2.0 / 16);
  EXPECT_EQ(RoundedToSteps<4>(-3), -3);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> any(-1, 1);
  for (int i = 0; i < 100'000; ++i) {
    const double value = std::ldexp(any(random), static_cast<int>(i % 60) - 30);
    const double rounded = RoundedToSteps<20>(value);
    ASSERT_LE(std::abs(rounded - value), std::ldexp(0.5, -20)) << value;
    const double steps = std::ldexp(rounded, 20);
    ASSERT_EQ(steps, std::floor(steps)) << value;
  }
}

// From 2^52 steps on every double is a multiple.
TEST(RoundedToStepsTest, LargeNumbersStayUnchanged) {
  for (const double value : {0x1p11, 0x1.8p12, -0x1.000001p40, 0x1p60}) {
    EXPECT_EQ(RoundedToSteps<40>(value), value);
  }
  const double all = std::numeric_limits<double>::infinity();
  EXPECT_EQ(RoundedToSteps<40>(all), all);
}

}  // namespace
}  // namespace coolspan
