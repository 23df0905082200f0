// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recent_starts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<TimeMs> TimesOf(const RecentStarts& starts) {
  std::vector<TimeMs> times;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    times.push_back(starts[i].start_ms);
  }
  return times;
}

TEST(RecentStartsTest, KeepsStartsInTheirOrder) {
  RecentStarts starts;
  EXPECT_THAT(TimesOf(starts), IsEmpty());
  const RecentStart first{100, 4, 60'000};
  const RecentStart second{100, 2, 0};
  starts.Add(first);
  starts.Add(second);
  starts.Add({170, 1, 5});
  ASSERT_EQ(starts.size(), 3U);
  EXPECT_EQ(starts[0], first);
  EXPECT_EQ(starts[1], second);
  EXPECT_THAT(TimesOf(starts), ElementsAre(100, 100, 170));
}

TEST(RecentStartsTest, DropsTheOldestOfMoreThanItHolds) {
  constexpr auto kMax = static_cast<TimeMs>(RecentStarts::kMax);
  RecentStarts starts;
  for (TimeMs i = 0; i < 3 * kMax + 5; ++i) {
    starts.Add({i, static_cast<NodeCount>(i + 1), i});
    const TimeMs held = std::min(i + 1, kMax);
    ASSERT_EQ(starts.size(), static_cast<std::size_t>(held));
    for (TimeMs k = 0; k < held; ++k) {
      const TimeMs expected = i + 1 - held + k;
      ASSERT_EQ(starts[static_cast<std::size_t>(k)],
                (RecentStart{expected, static_cast<NodeCount>(expected + 1),
                             expected}))
          << i;
    }
  }
}

TEST(RecentStartsTest, AnEarlierTimeCountsAsTheLast) {
  RecentStarts starts;
  starts.Add({100, 1, 0});
  starts.Add({40, 2, 7});
  starts.Add({99, 3, 0});
  starts.Add({101, 4, 0});
  EXPECT_THAT(TimesOf(starts), ElementsAre(100, 100, 100, 101));
  EXPECT_EQ(starts[1], (RecentStart{100, 2, 7})) << "only the time";
}

TEST(RecentStartsTest, StartsAheadOfTheClockAreLimitedToIt) {
  RecentStarts starts;
  starts.Add({10, 1, 0});
  starts.Add({500, 1, 0});
  starts.LimitTo(50);
  starts.Add({60, 1, 0});
  EXPECT_THAT(TimesOf(starts), ElementsAre(10, 50, 60));
}

}  // namespace
}  // namespace coolspan
