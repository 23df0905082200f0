// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/sampled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace coolspan {
namespace {

using ::testing::ElementsAre;

// Values 0, 1, 2, ... in the order in which they are taken.
class Counter {
 public:
  int operator()() { return next_++; }

 private:
  int next_ = 0;
};

TEST(SampledTest, OneValueASecond) {
  Sampled<int> sampled(5'000, 5'000, 8);
  Counter take;
  sampled.AddBefore(5'000, take);
  EXPECT_THAT(sampled.values(), ElementsAre());
  sampled.AddBefore(5'001, take);
  EXPECT_THAT(sampled.values(), ElementsAre(0));
  sampled.AddBefore(7'000, take);
  EXPECT_THAT(sampled.values(), ElementsAre(0, 1));
  sampled.AddThrough(7'000, take);
  sampled.AddThrough(7'999, take);
  EXPECT_THAT(sampled.values(), ElementsAre(0, 1, 2));
  EXPECT_EQ(sampled.interval_ms(), 1'000);
  EXPECT_EQ(sampled.TimeOf(2), 7'000);
}

TEST(SampledTest, AFullOneDoublesItsInterval) {
  Sampled<TimeMs> sampled(0, 0, 4);
  for (TimeMs now_s = 0; now_s <= 9; ++now_s) {
    sampled.AddThrough(now_s * 1'000, [now_s] { return now_s; });
    EXPECT_LE(sampled.values().size(), 4U);
  }
  EXPECT_EQ(sampled.interval_ms(), 4'000);
  EXPECT_THAT(sampled.values(), ElementsAre(0, 4, 8));
}

TEST(SampledTest, AKnownLengthSavesValuesOnly) {
  Sampled<TimeMs> unknown(0, 0, 16);
  Sampled<TimeMs> known(0, 900'000, 16);
  int taken = 0;
  for (TimeMs now_s = 0; now_s <= 1'000; now_s += 7) {
    unknown.AddThrough(now_s * 1'000, [now_s] { return now_s; });
    known.AddThrough(now_s * 1'000, [now_s, &taken] {
      ++taken;
      return now_s;
    });
  }
  EXPECT_EQ(known.values(), unknown.values());
  EXPECT_EQ(known.interval_ms(), unknown.interval_ms());
  EXPECT_LE(taken, 16);
}

TEST(SampledTest, AFurtherBoundThinsOutToo) {
  Sampled<TimeMs> sampled(0, 0, 16);
  sampled.AddThrough(
      10'000, [] { return 1; },
      [](const std::vector<TimeMs>& values) { return values.size() >= 3; });
  EXPECT_EQ(sampled.interval_ms(), 4'000);
  EXPECT_THAT(sampled.values(), ElementsAre(1, 1, 1));
}

TEST(SampledTest, TheLongestTimeEnds) {
  constexpr TimeMs kFirst = std::numeric_limits<TimeMs>::min();
  constexpr TimeMs kLast = std::numeric_limits<TimeMs>::max();
  Sampled<int> sampled(0, 0, 1024);
  Counter take;
  sampled.AddThrough(kLast, take);
  EXPECT_GT(sampled.values().size(), 512U);
  EXPECT_LE(sampled.values().size(), 1024U);
  Sampled<int> early(kFirst / 2, kFirst / 2, 1024);
  early.AddThrough(kLast / 2, take);
  EXPECT_GT(early.values().size(), 512U);
}

}  // namespace
}  // namespace coolspan
