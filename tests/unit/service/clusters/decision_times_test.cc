// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/decision_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

namespace coolspan {
namespace {

TEST(DecisionTimesTest, PercentilesOfTheLastDecisions) {
  DecisionTimes times;
  EXPECT_EQ(times.Summarise().us_p99, 0);
  times.Add({.policy = "a", .elapsed_us = 1e6, .placed = true});
  for (std::size_t i = 0; i < DecisionTimes::kWindow; ++i) {
    times.Add({.policy = "b",
               .elapsed_us = static_cast<double>(i % 101),
               .placed = i % 2 == 0});
  }
  const DecisionTimes::Summary summary = times.Summarise();
  EXPECT_EQ(summary.decisions, DecisionTimes::kWindow + 1);
  EXPECT_EQ(summary.placed, DecisionTimes::kWindow / 2 + 1);
  EXPECT_EQ(summary.us_p50, 50);
  EXPECT_EQ(summary.us_p99, 99);
  EXPECT_EQ(summary.us_max, 1e6) << "since the start";
}

TEST(DecisionTimesTest, P99OfAFewIsTheLongest) {
  DecisionTimes times;
  times.Add({.policy = "a", .elapsed_us = 9.5, .placed = true});
  times.Add({.policy = "a", .elapsed_us = 35.5, .placed = true});
  EXPECT_EQ(times.Summarise().us_p50, 9.5);
  EXPECT_EQ(times.Summarise().us_p99, 35.5);
}

TEST(DecisionTimesTest, CountsByPolicyModeAndResult) {
  DecisionTimes times;
  times.Add({.policy = "a", .elapsed_us = 90, .placed = true});
  times.Add({.policy = "b",
             .mode = PlacementMode::kAdvise,
             .elapsed_us = 3000,
             .stopped_early = true});
  times.Add({.policy = "a", .elapsed_us = 9e6, .placed = true});
  const auto policies = times.ByPolicy();
  ASSERT_EQ(policies.size(), 2u);
  const auto enforce = static_cast<std::size_t>(PlacementMode::kEnforce);
  const auto advise = static_cast<std::size_t>(PlacementMode::kAdvise);
  EXPECT_EQ(policies[0].policy, "a");
  EXPECT_EQ(policies[0].placed[enforce], 2u);
  EXPECT_EQ(policies[0].stopped_early, 0u);
  EXPECT_EQ(policies[0].times.counts.front(), 1u) << "up to 0.1 ms";
  EXPECT_EQ(policies[0].times.counts.back(), 1u) << "beyond the last bound";
  EXPECT_NEAR(policies[0].times.sum_s, 9.00009, 1e-9);
  EXPECT_EQ(policies[1].not_placed[advise], 1u);
  EXPECT_EQ(policies[1].stopped_early, 1u);
  EXPECT_EQ(times.Summarise().decisions, 3u);
}

TEST(DecisionTimesTest, ManyPoliciesAreCountedAsOther) {
  DecisionTimes times;
  constexpr int kPolicies = 100;
  for (int i = 0; i < kPolicies; ++i) {
    times.Add({.policy = "p" + std::to_string(i), .placed = true});
  }
  const auto policies = times.ByPolicy();
  ASSERT_EQ(policies.size(), DecisionTimes::kMaxPolicies);
  EXPECT_EQ(policies.back().policy, "other");
  EXPECT_EQ(policies.back().times.total(),
            kPolicies - DecisionTimes::kMaxPolicies + 1);
  EXPECT_EQ(times.Summarise().decisions, std::uint64_t{kPolicies});
}

// Under TSan this is a test for races.
TEST(DecisionTimesTest, ThreadsLoseNoCount) {
  DecisionTimes times;
  constexpr int kThreads = 4;
  constexpr int kSamples = 20'000;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&times] {
      for (int i = 0; i < kSamples; ++i) {
        times.Add({.policy = "p" + std::to_string(i % 80),
                   .elapsed_us = 10,
                   .placed = i % 2 == 0});
      }
    });
  }
  for (int i = 0; i < 100; ++i) times.Summarise();
  for (std::thread& thread : threads) thread.join();
  const DecisionTimes::Summary summary = times.Summarise();
  EXPECT_EQ(summary.decisions, std::uint64_t{kThreads} * kSamples);
  EXPECT_EQ(summary.placed, std::uint64_t{kThreads} * kSamples / 2);
  std::set<std::string> names;
  for (const auto& policy : times.ByPolicy()) {
    EXPECT_TRUE(names.insert(policy.policy).second) << policy.policy;
  }
}

}  // namespace
}  // namespace coolspan
