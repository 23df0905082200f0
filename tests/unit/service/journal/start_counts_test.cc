// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/start_counts.h"

#include <gtest/gtest.h>

#include <string>

namespace coolspan {
namespace {

v1::JobStart StartWith(const std::string& verdict,
                       const std::string& reason_class = "") {
  v1::JobStart start;
  start.set_verdict(verdict);
  start.set_reason_class(reason_class);
  return start;
}

TEST(StartCountsTest, CountsByClusterVerdictAndReason) {
  StartCounts counts;
  counts.Add("c", StartWith("enforced"), std::nullopt);
  counts.Add("c", StartWith("advised"), std::nullopt);
  for (const char* const reason : {"a", "b", "b"}) {
    counts.Add("c", StartWith("left", reason), std::nullopt);
  }
  counts.Add("d", StartWith("fallback", "late"), std::nullopt);
  const v1::StartCounts of_c = counts.Of("c");
  EXPECT_EQ(of_c.enforced(), 1u);
  EXPECT_EQ(of_c.advised(), 1u);
  ASSERT_EQ(of_c.left_size(), 2);
  EXPECT_EQ(of_c.left(0).reason(), "b") << "most frequent first";
  EXPECT_EQ(of_c.left(0).jobs(), 2u);
  EXPECT_EQ(of_c.fallback_size(), 0);
  EXPECT_EQ(counts.Of("d").fallback(0).jobs(), 1u);
  EXPECT_EQ(counts.Of("e").enforced(), 0u);
}

TEST(StartCountsTest, ReasonsAreBounded) {
  StartCounts counts;
  const int reasons = static_cast<int>(StartCounts::kMaxReasons) + 10;
  for (int i = 0; i < reasons; ++i) {
    counts.Add("c", StartWith("left", std::to_string(i)), std::nullopt);
  }
  counts.Add("c", StartWith("left", "0"), std::nullopt);
  const v1::StartCounts of_c = counts.Of("c");
  ASSERT_EQ(of_c.left_size(), int{StartCounts::kMaxReasons});
  EXPECT_EQ(of_c.left(0).reason(), "other");
  EXPECT_EQ(of_c.left(0).jobs(), 11u);
  EXPECT_EQ(of_c.left(1).reason(), "0");
  EXPECT_EQ(of_c.left(1).jobs(), 2u);
}

TEST(StartCountsTest, SumsTheCostsThatBothChoicesHave) {
  StartCounts counts;
  const v1::JobStart start = StartWith("advised");
  counts.Add("c", start, AdviceCost{{3, 6, 100.0}, {3, 9, 110.0}});
  counts.Add("c", start, AdviceCost{{1, 0, 200.0}, {1, 0, 200.0}});
  counts.Add("c", start,
             AdviceCost{{2, 5, std::nullopt}, {2, 1, std::nullopt}});
  counts.Add("c", start, std::nullopt);
  const v1::StartCounts of_c = counts.Of("c");
  EXPECT_EQ(of_c.advised(), 4u);
  const v1::AdviceTotals& advice = of_c.advice();
  EXPECT_EQ(advice.jobs(), 3u);
  EXPECT_EQ(advice.jobs_n2(), 2u);
  EXPECT_EQ(advice.jobs_cooling(), 2u);
  EXPECT_EQ(advice.decided().pairwise_total(), 11u);
  EXPECT_EQ(advice.decided().pairwise_mean(), 2 + 5);
  EXPECT_EQ(advice.decided().cooling_w(), 300);
  EXPECT_EQ(advice.actual().pairwise_total(), 10u);
  EXPECT_EQ(advice.actual().pairwise_mean(), 3 + 1);
  EXPECT_EQ(advice.actual().cooling_w(), 310);
}

}  // namespace
}  // namespace coolspan
