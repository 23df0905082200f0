// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/flags/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Swept(const std::vector<std::string>& policies,
                               const std::vector<std::string>& sweeps) {
  const auto swept = SweepPolicies(policies, sweeps);
  EXPECT_TRUE(swept.ok()) << swept.status();
  return swept.value_or(std::vector<std::string>{});
}

TEST(SweepTest, OptionsOfOneSweepChangeTogether) {
  EXPECT_THAT(
      Swept({"mc1x1", "bqp", "hybrid"}, {"alpha=1:0:3,beta=0:1:3"}),
      ElementsAre("mc1x1", "bqp:alpha=1:beta=0", "bqp:alpha=0.5:beta=0.5",
                  "bqp:alpha=0:beta=1", "hybrid"));
}

TEST(SweepTest, SweepsAreCombined) {
  EXPECT_THAT(Swept({"bqp"}, {"alpha=0:1:2", "beta=1:2:2"}),
              ElementsAre("bqp:alpha=0:beta=1", "bqp:alpha=0:beta=2",
                          "bqp:alpha=1:beta=1", "bqp:alpha=1:beta=2"));
}

TEST(SweepTest, ValuesAreRounded) {
  EXPECT_THAT(
      Swept({"ptas"}, {"epsilon=0.1:0.5:5"}),
      ElementsAre("ptas:epsilon=0.1", "ptas:epsilon=0.2", "ptas:epsilon=0.3",
                  "ptas:epsilon=0.4", "ptas:epsilon=0.5"));
}

TEST(SweepTest, WithoutSweepsPoliciesStay) {
  EXPECT_THAT(Swept({"bqp:alpha=1", "nonsense"}, {}),
              ElementsAre("bqp:alpha=1", "nonsense"));
}

TEST(SweepTest, ErrorsSayWhatIsExpected) {
  for (const std::string sweep :
       {"", "alpha", "=0:1:2", "alpha=0:1", "alpha=0:1:1", "alpha=0:1:1001",
        "alpha=0:x:3", "alpha=0:1:3:4", "alpha=0:1:3,beta=0:1:4",
        "alpha=0:1:-3"}) {
    const auto swept = SweepPolicies({"bqp"}, {sweep});
    EXPECT_THAT(std::string(swept.status().message()),
                HasSubstr("is not valid (expected NAME=FROM:TO:COUNT"))
        << sweep;
  }
  EXPECT_EQ(SweepPolicies({"mc1x1", "mm"}, {"alpha=0:1:2"}).status().message(),
            "--sweep: no policy of the list has the options of 'alpha=0:1:2' "
            "(expected option names of one policy, as in perimeter=0.2:0.4:3)");
}

TEST(NumberRangeTest, ANumberOrARange) {
  const auto number = ParseNumberOrRange("-4.5");
  ASSERT_TRUE(number.has_value());
  EXPECT_EQ(number->count, 1U);
  EXPECT_EQ(number->At(0), -4.5);
  const auto range = ParseNumberOrRange("0:1:11");
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->At(3), 0.3);
  EXPECT_EQ(range->At(10), 1);
  for (const char* const text :
       {"", "x", "1:2", "1:2:1", "1:2:1001", "1:2:x"}) {
    EXPECT_FALSE(ParseNumberOrRange(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace coolspan
