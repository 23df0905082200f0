// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/units_text.h"

#include <gtest/gtest.h>

#include <vector>

namespace coolspan {
namespace {

TEST(UnitsTextTest, FormatsRuns) {
  EXPECT_EQ(FormatUnits(std::vector<Units>{16, 16, 16, 8, 4, 4}), "16x3,8,4x2");
  EXPECT_EQ(FormatUnits(std::vector<Units>{}), "");
}

TEST(UnitsTextTest, ParsesFormattedText) {
  for (const std::vector<Units>& units :
       {std::vector<Units>{}, {0}, {1, 1, 1}, {4294967295u, 7, 7}}) {
    EXPECT_EQ(ParseUnits(FormatUnits(units)), units);
  }
}

TEST(UnitsTextTest, RefusesInvalidText) {
  for (const char* text :
       {"x", "1,", ",1", "1x", "1 x2", "-1", "1x-2", "4294967296", "1x16777217",
        "1x9000000,1x9000000", "1;2"}) {
    EXPECT_FALSE(ParseUnits(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace coolspan
