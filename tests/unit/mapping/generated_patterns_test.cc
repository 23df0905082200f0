// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/generated_patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace coolspan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::shared_ptr<const CommPattern> Made(const std::string& name,
                                        std::uint32_t ranks, double bytes = 1) {
  return MakeGeneratedPattern(*FindGeneratedPattern(name), ranks, bytes)
      .value();
}

TEST(GeneratedPatternsTest, AllAreSymmetricForAnyNumberOfRanks) {
  for (const GeneratedPattern& kind : GeneratedPatternTable()) {
    for (const std::uint32_t ranks : {1U, 2U, 3U, 7U, 12U, 64U, 100U}) {
      const auto pattern = MakeGeneratedPattern(kind, ranks, 3).value();
      EXPECT_EQ(pattern->ranks(), ranks) << kind.name;
      std::set<std::pair<TaskRank, TaskRank>> pairs;
      for (TaskRank from = 0; from < ranks; ++from) {
        for (const TaskRank to : pattern->ReceiversOf(from)) {
          pairs.emplace(from, to);
        }
      }
      for (const auto& [from, to] : pairs) {
        EXPECT_TRUE(pairs.contains({to, from})) << kind.name << " " << ranks;
      }
      EXPECT_EQ(pattern->total_bytes(), 3 * static_cast<double>(pairs.size()));
    }
  }
}

TEST(GeneratedPatternsTest, HaveTheirReceivers) {
  EXPECT_EQ(Made("all-to-all", 5)->pairs(), 20U);
  EXPECT_THAT(Made("ring", 5)->ReceiversOf(0), ElementsAre(1, 4));
  EXPECT_THAT(Made("ring", 2)->ReceiversOf(0), ElementsAre(1));
  EXPECT_THAT(Made("ring", 1)->ReceiversOf(0), IsEmpty());
  // 4 x 3, consecutive ranks along x.
  EXPECT_THAT(Made("stencil2d", 12)->ReceiversOf(5), ElementsAre(1, 4, 6, 9));
  EXPECT_THAT(Made("stencil2d", 12)->ReceiversOf(0), ElementsAre(1, 4));
  // 4 x 4 x 4.
  EXPECT_THAT(Made("stencil3d", 64)->ReceiversOf(21),
              ElementsAre(5, 17, 20, 22, 25, 37));
  // Row and column of 4 x 3.
  EXPECT_THAT(Made("fft", 12)->ReceiversOf(5), ElementsAre(1, 4, 6, 7, 9));
  // A prime number of ranks is one row.
  EXPECT_THAT(Made("stencil3d", 7)->ReceiversOf(3), ElementsAre(2, 4));
}

TEST(GeneratedPatternsTest, RefusesTooManyPairs) {
  EXPECT_TRUE(
      MakeGeneratedPattern(*FindGeneratedPattern("all-to-all"), 4096, 1).ok());
  EXPECT_FALSE(
      MakeGeneratedPattern(*FindGeneratedPattern("all-to-all"), 5000, 1).ok());
  EXPECT_FALSE(
      MakeGeneratedPattern(*FindGeneratedPattern("ring"), 1U << 31, 1).ok());
  EXPECT_EQ(FindGeneratedPattern("circle"), nullptr);
}

}  // namespace
}  // namespace coolspan
