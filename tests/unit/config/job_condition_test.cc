// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/job_condition.h"

#include <gtest/gtest.h>

namespace coolspan {
namespace {

const JobTraits kJob{"gpu", "high", "tight please", 64};

TEST(JobConditionTest, WithoutConditionsMatchesAll) {
  EXPECT_TRUE(JobCondition().Holds(kJob));
  EXPECT_TRUE(JobCondition().Holds({}));
  EXPECT_TRUE(JobCondition().HoldsForAll());
  EXPECT_EQ(JobCondition().Describe(), "every job");
}

TEST(JobConditionTest, MatchesOneOfThePartitions) {
  JobCondition condition;
  condition.partitions = {"debug", "gpu"};
  EXPECT_TRUE(condition.Holds(kJob));
  EXPECT_FALSE(condition.HoldsForAll());
  condition.partitions = {"debug", "gp", "GPU"};
  EXPECT_FALSE(condition.Holds(kJob));
}

TEST(JobConditionTest, MatchesOneOfTheQos) {
  JobCondition condition;
  condition.qos = {"high"};
  EXPECT_TRUE(condition.Holds(kJob));
  EXPECT_FALSE(condition.Holds({"gpu", "", "", 64})) << "none";
}

TEST(JobConditionTest, AllPartsMustMatch) {
  JobCondition condition;
  condition.partitions = {"gpu"};
  condition.qos = {"low"};
  EXPECT_FALSE(condition.Holds(kJob));
}

TEST(JobConditionTest, RangesAreInclusive) {
  JobCondition condition;
  ASSERT_TRUE(ParseNodeRange("64-512", condition));
  EXPECT_FALSE(condition.HoldsForAll());
  const auto holds = [&](NodeCount nodes) {
    return condition.Holds({"", "", "", nodes});
  };
  EXPECT_FALSE(holds(63));
  EXPECT_TRUE(holds(64));
  EXPECT_TRUE(holds(512));
  EXPECT_FALSE(holds(513));
}

TEST(JobConditionTest, RangesMayBeOpen) {
  JobCondition least;
  ASSERT_TRUE(ParseNodeRange("64-", least));
  EXPECT_EQ(least.min_nodes, 64U);
  EXPECT_EQ(least.max_nodes, JobCondition::kNoLimit);
  JobCondition most;
  ASSERT_TRUE(ParseNodeRange("-512", most));
  EXPECT_EQ(most.min_nodes, 1U);
  EXPECT_EQ(most.max_nodes, 512U);
  JobCondition one;
  ASSERT_TRUE(ParseNodeRange("7", one));
  EXPECT_EQ(one.min_nodes, 7U);
  EXPECT_EQ(one.max_nodes, 7U);
}

TEST(JobConditionTest, RejectsInvalidRanges) {
  for (const char* text :
       {"", "-", "0", "0-5", "5-0", "5-4", "a", "5-a", "1.5", " 5", "5 ", "--5",
        "1-2-3", "+5", "99999999999", "5-99999999999", "0x10"}) {
    JobCondition condition;
    EXPECT_FALSE(ParseNodeRange(text, condition)) << text;
  }
}

TEST(JobConditionTest, PatternsMatchTheWholeComment) {
  JobCondition condition;
  condition.comment = "tight*";
  EXPECT_TRUE(condition.Holds(kJob));
  condition.comment = "*please";
  EXPECT_TRUE(condition.Holds(kJob));
  condition.comment = "tight";
  EXPECT_FALSE(condition.Holds(kJob));
  condition.comment = "t?ght [op]lease";
  EXPECT_TRUE(condition.Holds(kJob));
  condition.comment = "";
  EXPECT_FALSE(condition.Holds(kJob)) << "jobs without one";
  EXPECT_TRUE(condition.Holds({"gpu", "high", "", 64}));
}

TEST(JobConditionTest, Describe) {
  JobCondition condition;
  condition.partitions = {"gpu", "debug"};
  condition.qos = {"high"};
  condition.min_nodes = 64;
  condition.max_nodes = 512;
  condition.comment = "*tight*";
  EXPECT_EQ(condition.Describe(),
            "partition gpu or debug, qos high, 64 to 512 nodes, comment "
            "\"*tight*\"");
}

}  // namespace
}  // namespace coolspan
