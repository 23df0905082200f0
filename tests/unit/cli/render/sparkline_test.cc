// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/render/sparkline.h"

#include <gtest/gtest.h>

#include <vector>

namespace coolspan {
namespace {

TEST(SparklineTest, LevelsFromNothingToMax) {
  const std::vector<double> values = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(Sparkline(values, 7, 80), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(Sparkline(values, 14, 80), "▁▂▂▃▃▄▄▅");
  EXPECT_EQ(Sparkline({}, 7, 80), "");
  EXPECT_EQ(Sparkline(std::vector<double>{0, 0}, 0, 80), "▁▁");
}

TEST(SparklineTest, AColumnIsAMean) {
  const std::vector<double> values = {0, 0, 7, 7, 0, 7};
  EXPECT_EQ(Sparkline(values, 7, 3), "▁█▅");
}

}  // namespace
}  // namespace coolspan
