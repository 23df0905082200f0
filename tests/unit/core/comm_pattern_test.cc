// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/comm_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace coolspan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string ErrorOf(std::uint32_t ranks, std::vector<RankVolume> volumes) {
  return std::string(
      CommPattern::Create(ranks, std::move(volumes)).status().message());
}

TEST(CommPatternTest, KeepsWhatEachRankSends) {
  const auto pattern =
      CommPattern::Create(3, {{2, 0, 5}, {0, 2, 7}, {0, 1, 1.5}}).value();
  EXPECT_EQ(pattern->ranks(), 3U);
  EXPECT_EQ(pattern->pairs(), 3U);
  EXPECT_EQ(pattern->total_bytes(), 13.5);
  EXPECT_THAT(pattern->ReceiversOf(0), ElementsAre(1, 2));
  EXPECT_THAT(pattern->BytesFrom(0), ElementsAre(1.5, 7));
  EXPECT_THAT(pattern->ReceiversOf(1), IsEmpty());
  EXPECT_THAT(pattern->ReceiversOf(2), ElementsAre(0));
}

TEST(CommPatternTest, LeavesOutZerosAndTheDiagonal) {
  const auto pattern =
      CommPattern::Create(2, {{0, 0, 9}, {0, 1, 0}, {1, 0, 4}}).value();
  EXPECT_EQ(pattern->pairs(), 1U);
  EXPECT_EQ(pattern->total_bytes(), 4);
}

TEST(CommPatternTest, RefusesWhatIsNoPattern) {
  EXPECT_THAT(ErrorOf(0, {}), HasSubstr("pattern of 0 ranks (expected 1 to"));
  EXPECT_THAT(ErrorOf(CommPattern::kMaxRanks + 1, {}), HasSubstr("expected"));
  EXPECT_THAT(ErrorOf(2, {{0, 2, 1}}),
              HasSubstr("rank 2 does not exist (expected a rank from 0 to 1)"));
  EXPECT_THAT(ErrorOf(2, {{0, 1, 1}, {0, 1, 2}}),
              HasSubstr("rank 0 to rank 1: specified more than once"));
  for (const double bytes : {-1.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(), 1e19}) {
    EXPECT_THAT(ErrorOf(2, {{0, 1, bytes}}), HasSubstr("from rank 0 to rank 1"))
        << bytes;
    EXPECT_FALSE(CommPattern::Create(2, {{0, 0, bytes}}).ok()) << bytes;
  }
}

}  // namespace
}  // namespace coolspan
