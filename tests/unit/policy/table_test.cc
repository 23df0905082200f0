// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "mesh_machine.h"

namespace coolspan {
namespace {

TEST(PolicyTableTest, NamesAreUniqueAndExplained) {
  std::set<std::string_view> names;
  for (const PolicyEntry& entry : PolicyTable()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.help.empty()) << entry.name;
  }
  for (const char* name :
       {"free-list", "first-fit", "best-fit", "sum-of-squares", "random"}) {
    EXPECT_EQ(names.count(name), 1U) << name;
  }
}

TEST(PolicyTableTest, AnUnknownNameIsAnsweredWithTheKnownOnes) {
  const auto machine = MeshMachine(FlatGrid({4}));
  const auto policy =
      MakePolicy("best-fat", machine, {MakeOrdering(*machine, "").value()});
  ASSERT_EQ(policy.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(policy.status().message()),
              testing::AllOf(testing::HasSubstr("best-fat"),
                             testing::HasSubstr("best-fit"),
                             testing::HasSubstr("sum-of-squares")));
}

// What is wrong with a policy's spec, on a machine without a room.
std::string ErrorOf(const std::string& spec, PolicyOptions options = {}) {
  const auto machine = MeshMachine(FlatGrid({4}));
  options.ordering = MakeOrdering(*machine, "").value();
  return std::string(MakePolicy(spec, machine, options).status().message());
}

TEST(PolicyTableTest, SpecsGiveThePolicysNumbers) {
  const auto options = ReadPolicySpec("bqp:alpha=2:beta=0", {}).value();
  EXPECT_EQ(options.alpha, 2);
  EXPECT_EQ(options.beta, 0);
  EXPECT_EQ(ReadPolicySpec("ptas:epsilon=0.25", {})->epsilon, 0.25);
  EXPECT_EQ(ReadPolicySpec("mm", {})->alpha, PolicyOptions::kDefaultWeight);
  PolicyOptions given;
  given.alpha = 3;
  given.beta = 4;
  const auto some = ReadPolicySpec("bqp:beta=1", given).value();
  EXPECT_EQ(some.alpha, 3) << "the spec says nothing of it";
  EXPECT_EQ(some.beta, 1);
  ASSERT_NE(FindPolicy("bqp:alpha=1"), nullptr);
  EXPECT_EQ(FindPolicy("bqp:alpha=1")->name, "bqp");
}

TEST(PolicyTableTest, BadSpecsAreRefusedWithWhatWouldBeRight) {
  EXPECT_EQ(ErrorOf("ptas:epsilon=0.5"), "");
  EXPECT_EQ(ErrorOf("ptas:eps=1"),
            "policy ptas: \"eps=1\": no option; want epsilon=NUMBER");
  EXPECT_EQ(ErrorOf("ptas:epsilon"),
            "policy ptas: \"epsilon\": no option; want epsilon=NUMBER");
  EXPECT_EQ(ErrorOf("ptas:"),
            "policy ptas: \"\": no option; want epsilon=NUMBER");
  EXPECT_EQ(ErrorOf("mm:epsilon=1"),
            "policy mm: \"epsilon=1\": it takes no options; leave them out");
  EXPECT_EQ(ErrorOf("ptas:epsilon=x"),
            "policy ptas: \"epsilon=x\": no number; one as in 0.5 is wanted");
  EXPECT_EQ(
      ErrorOf("ptas:epsilon=0"),
      "policy ptas: \"epsilon=0\": 0 is out of range; above 0, at most 1");
  EXPECT_EQ(ErrorOf("bqp:alpha=nan"),
            "policy bqp: \"alpha=nan\": nan is out of range; from 0 to 1000");
  EXPECT_EQ(ErrorOf("bqp:beta=0:beta=0"),
            "policy bqp: \"beta=0\": given twice; once is wanted");
  EXPECT_THAT(ErrorOf("bpq:alpha=1"),
              testing::HasSubstr("unknown policy \"bpq\"; did you mean bqp?"));
  EXPECT_THAT(ErrorOf("m\nm"), testing::StartsWith("unknown policy \"m\\nm\""));
  EXPECT_THAT(ErrorOf("bqp:al\npha=1"),
              testing::StartsWith("policy bqp: \"al\\npha=1\": no option"));
}

TEST(PolicyTableTest, BqpNeedsARoomForHeatAlone) {
  EXPECT_EQ(ErrorOf("bqp:alpha=1:beta=0"), "");
  EXPECT_THAT(ErrorOf("bqp"), testing::HasSubstr("needs to know the room"));
  EXPECT_THAT(ErrorOf("bqp:alpha=0\n:beta=0"),
              testing::StartsWith("policy bqp:alpha=0\\n:beta=0: alpha and"));
  EXPECT_EQ(ErrorOf("bqp:alpha=0:beta=0"),
            "policy bqp:alpha=0:beta=0: alpha and beta are both 0; one above 0 "
            "is wanted");
}

TEST(PolicyTableTest, LatenciesAreOfTheMachinesNodes) {
  PolicyOptions options;
  options.latencies = LatencyMatrix::Create(1, {0}).value();
  EXPECT_EQ(ErrorOf("bqp:beta=0", options),
            "policy bqp:beta=0: latencies of 1 nodes; the machine's 4 are "
            "wanted");
}

}  // namespace
}  // namespace coolspan
