// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/seed_summary.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace coolspan {
namespace {

RunReport ReportOf(const std::string& policy, std::uint64_t seed,
                   std::optional<double> value) {
  RunReport report;
  report.run.policy = policy;
  report.run.seed = seed;
  report.metrics = {{"always", 1.0}, {"varies", value}};
  return report;
}

TEST(SeedSummaryTest, MeansAndIntervalsOfStudentsDistribution) {
  const std::vector<RunReport> reports = {
      ReportOf("a", 1, 1), ReportOf("a", 2, 2), ReportOf("a", 3, 3)};
  const std::vector<SeedGroup> groups = GroupBySeed(reports);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].means[0].mean, 1);
  EXPECT_EQ(groups[0].means[0].ci95, 0);
  EXPECT_EQ(groups[0].means[1].mean, 2);
  // t of two degrees of freedom at 97.5 %: 4.30265; deviation 1.
  EXPECT_NEAR(groups[0].means[1].ci95.value(), 4.30265 / 1.7320508, 1e-4);
  EXPECT_TRUE(groups[0].differences.empty());
}

TEST(SeedSummaryTest, DifferencesArePaired) {
  // The seeds matter much, the policy always 1.
  const std::vector<RunReport> reports = {
      ReportOf("a", 1, 10), ReportOf("a", 2, 50), ReportOf("b", 1, 11),
      ReportOf("b", 2, 51)};
  const std::vector<SeedGroup> groups = GroupBySeed(reports);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_GT(groups[1].means[1].ci95.value(), 100);
  EXPECT_EQ(groups[1].differences[1].mean, 1);
  EXPECT_EQ(groups[1].differences[1].ci95, 0);
}

TEST(SeedSummaryTest, NoMeanOfAMetricThatDoesNotApply) {
  const std::vector<RunReport> reports = {
      ReportOf("a", 1, 10), ReportOf("a", 2, std::nullopt), ReportOf("b", 1, 3),
      ReportOf("b", 2, 4)};
  const std::vector<SeedGroup> groups = GroupBySeed(reports);
  EXPECT_EQ(groups[0].means[1].mean, std::nullopt);
  EXPECT_EQ(groups[1].means[1].mean, 3.5);
  EXPECT_EQ(groups[1].differences[1].mean, std::nullopt);
}

TEST(SeedSummaryTest, OtherSeedsAreNotPaired) {
  const std::vector<RunReport> reports = {ReportOf("a", 1, 10),
                                          ReportOf("b", 2, 3)};
  const std::vector<SeedGroup> groups = GroupBySeed(reports);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].means[1].ci95, std::nullopt) << "one seed";
  EXPECT_TRUE(groups[1].differences.empty());
}

}  // namespace
}  // namespace coolspan
