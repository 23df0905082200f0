// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/pareto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ParetoTest : public testing::Test {
 protected:
  void Add(std::optional<double> hops, std::optional<double> watts,
           double utilization = 0) {
    RunReport report;
    report.run.policy = std::to_string(reports_.size());
    report.metrics = {{"other", 1},
                      {"hops", hops},
                      {"watts", watts},
                      {"utilization", utilization}};
    reports_.push_back(std::move(report));
  }
  absl::StatusOr<std::vector<std::size_t>> Front(
      const std::vector<std::string>& metrics) {
    return ParetoFront(GroupBySeed(reports_), metrics);
  }
  std::vector<RunReport> reports_;
};

TEST_F(ParetoTest, HasTheRunsThatNoOtherBetters) {
  Add(3, 10);
  Add(1, 30);
  Add(2, 30);  // 1 has fewer hops for as many watts
  Add(2, 20);
  Add(3, 10);            // equal to 0
  Add(std::nullopt, 1);  // not comparable
  EXPECT_THAT(*Front({"hops", "watts"}), ElementsAre(1, 3, 0, 4));
  EXPECT_THAT(*Front({"watts"}), ElementsAre(5));
  EXPECT_THAT(*Front({"hops"}), ElementsAre(1));
}

TEST_F(ParetoTest, OfSomeMetricsHigherIsBetter) {
  Add(1, 10, 0.5);
  Add(2, 10, 0.75);
  Add(3, 10, 0.625);
  EXPECT_THAT(*Front({"utilization"}), ElementsAre(1));
  EXPECT_THAT(*Front({"hops", "utilization"}), ElementsAre(0, 1));
}

TEST_F(ParetoTest, WithoutValuesThereIsNoFront) {
  Add(std::nullopt, std::nullopt);
  EXPECT_THAT(*Front({"hops", "watts"}), IsEmpty());
}

TEST_F(ParetoTest, AnUnknownMetricIsAnError) {
  Add(1, 2);
  EXPECT_EQ(Front({"hops", "volts"}).status().message(),
            "--pareto: unknown metric 'volts' (expected one of hops, other, "
            "utilization, watts)");
}

}  // namespace
}  // namespace coolspan
