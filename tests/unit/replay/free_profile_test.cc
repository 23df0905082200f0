// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/schedulers/free_profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace coolspan {
namespace {

constexpr NodeCount kNodes = 20;
constexpr std::size_t kEndMs = 60;

// Holds in a random profile and in one number a millisecond.
class FreeProfileTest : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  FreeProfileTest() : free_(kEndMs, kNodes) {
    for (int i = 0; i < 12; ++i) {
      const std::size_t begin = random_() % (kEndMs - 1);
      const std::size_t end = begin + 1 + random_() % (kEndMs - 1 - begin);
      const NodeCount least = Least(begin, end);
      if (least == 0) continue;
      const auto nodes = static_cast<NodeCount>(1 + random_() % least);
      profile_.Hold(static_cast<TimeMs>(begin), static_cast<TimeMs>(end),
                    nodes);
      for (std::size_t t = begin; t < end; ++t) free_[t] -= nodes;
    }
  }
  NodeCount Least(std::size_t begin, std::size_t end) const {
    NodeCount least = kNodes;
    for (std::size_t t = begin; t < end; ++t) least = std::min(least, free_[t]);
    return least;
  }

  std::minstd_rand random_{GetParam()};
  FreeProfile profile_{0, kNodes};
  std::vector<NodeCount> free_;
};

INSTANTIATE_TEST_SUITE_P(Seeds, FreeProfileTest, ::testing::Range(1U, 30U));

TEST_P(FreeProfileTest, LeastFreeIsThatOfAllTimes) {
  for (std::size_t begin = 0; begin < kEndMs; ++begin) {
    ASSERT_EQ(profile_.LeastFree(static_cast<TimeMs>(begin),
                                 static_cast<TimeMs>(begin)),
              free_[begin]);
    for (std::size_t end = begin + 1; end <= kEndMs; ++end) {
      ASSERT_EQ(profile_.LeastFree(static_cast<TimeMs>(begin),
                                   static_cast<TimeMs>(end)),
                Least(begin, end))
          << begin << " to " << end;
    }
  }
}

TEST_P(FreeProfileTest, ChangesAreAllTimesWithAnotherNumber) {
  std::vector<TimeMs> expected = {0};
  for (std::size_t t = 1; t < kEndMs; ++t) {
    if (free_[t] != free_[t - 1]) expected.push_back(static_cast<TimeMs>(t));
  }
  EXPECT_EQ(profile_.Changes(), expected);
}

TEST_P(FreeProfileTest, EarliestFitIsTheFirstTimeWithEnoughNodes) {
  for (NodeCount nodes = 1; nodes <= kNodes; nodes += 3) {
    for (std::size_t run = 1; run < 20; run += 4) {
      std::size_t first = 0;
      while (first + run <= kEndMs && Least(first, first + run) < nodes)
        ++first;
      if (first + run > kEndMs) continue;  // beyond the end all are free
      ASSERT_EQ(profile_.EarliestFit(0, static_cast<TimeMs>(run), nodes),
                static_cast<TimeMs>(first));
    }
  }
}

}  // namespace
}  // namespace coolspan
