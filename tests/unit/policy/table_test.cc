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

TEST(PolicyTableTest, UnknownNameErrorListsKnownPolicies) {
  const auto machine = MeshMachine(FlatGrid({4}));
  const auto policy =
      MakePolicy("best-fat", machine, {MakeOrdering(*machine, "").value()});
  ASSERT_EQ(policy.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(policy.status().message()),
              testing::AllOf(testing::HasSubstr("best-fat"),
                             testing::HasSubstr("best-fit"),
                             testing::HasSubstr("sum-of-squares")));
}

TEST(PolicyTableTest, NumbersAreUniqueAndDefaultsInRange) {
  std::set<std::string_view> names;
  for (const PolicyEntry& entry : PolicyTable()) {
    for (const SpecOption& option : entry.options) {
      EXPECT_TRUE(!option.words.empty() || names.insert(option.name).second)
          << option.name;
      EXPECT_TRUE(option.Check(option.default_value).ok()) << option.name;
    }
  }
}

// The error for a policy spec on a machine without a room; empty: none.
std::string ErrorOf(const std::string& spec, PolicyOptions options = {}) {
  const auto machine = MeshMachine(FlatGrid({4}));
  options.ordering = MakeOrdering(*machine, "").value();
  return std::string(MakePolicy(spec, machine, options).status().message());
}

TEST(PolicyTableTest, SpecSetsNumbers) {
  const auto options = ReadPolicySpec("bqp:alpha=2:beta=0", {}).value();
  EXPECT_EQ(options.Value("alpha"), 2);
  EXPECT_EQ(options.Value("beta"), 0);
  EXPECT_EQ(ReadPolicySpec("ptas:epsilon=0.25", {})->Value("epsilon"), 0.25);
  EXPECT_EQ(ReadPolicySpec("bqp", {})->Value("alpha"), 0.5) << "the default";
  PolicyOptions defaults;
  defaults.values = {{"alpha", 3}, {"beta", 4}, {"epsilon", 1}};
  const auto overridden = ReadPolicySpec("bqp:beta=1", defaults).value();
  EXPECT_EQ(overridden.Value("alpha"), 3) << "not in the spec";
  EXPECT_EQ(overridden.Value("beta"), 1);
  EXPECT_FALSE(overridden.values.contains("epsilon")) << "an option of ptas";
  EXPECT_TRUE(ReadPolicySpec("random", defaults)->values.empty());
  ASSERT_NE(FindPolicy("bqp:alpha=1"), nullptr);
  EXPECT_EQ(FindPolicy("bqp:alpha=1")->name, "bqp");
}

TEST(PolicyTableTest, BadSpecErrorsSayWhatIsExpected) {
  EXPECT_EQ(ErrorOf("ptas:epsilon=0.5"), "");
  EXPECT_EQ(ErrorOf("ptas:eps=1"),
            "policy ptas: \"eps=1\": not an option of the policy (expected "
            "epsilon=NUMBER)");
  EXPECT_EQ(ErrorOf("ptas:epsilon"),
            "policy ptas: \"epsilon\": not an option of the policy (expected "
            "epsilon=NUMBER)");
  EXPECT_EQ(ErrorOf("ptas:"),
            "policy ptas: \"\": not an option of the policy (expected "
            "epsilon=NUMBER)");
  EXPECT_EQ(ErrorOf("random:epsilon=1"),
            "policy random: \"epsilon=1\": the policy takes no options");
  EXPECT_EQ(ErrorOf("ptas:epsilon=x"),
            "policy ptas: \"epsilon=x\": not a number (expected a number as in "
            "0.5)");
  EXPECT_EQ(ErrorOf("ptas:epsilon=0"),
            "policy ptas: \"epsilon=0\": 0 is out of range (expected above 0, "
            "at most 1)");
  EXPECT_EQ(ErrorOf("bqp:alpha=nan"),
            "policy bqp: \"alpha=nan\": nan is out of range (expected 0 to "
            "1000)");
  EXPECT_EQ(ErrorOf("mm:ties=paper"), "");
  EXPECT_EQ(ErrorOf("mm:ties=0"),
            "policy mm: \"ties=0\": the value is not valid (expected "
            "perimeter or paper)");
  EXPECT_EQ(ErrorOf("bqp:beta=0:beta=0"),
            "policy bqp: \"beta=0\": specified more than once");
  EXPECT_THAT(ErrorOf("bpq:alpha=1"),
              testing::HasSubstr("unknown policy \"bpq\"; did you mean bqp?"));
  EXPECT_THAT(ErrorOf("m\nm"), testing::StartsWith("unknown policy \"m\\nm\""));
  EXPECT_THAT(ErrorOf("bqp:al\npha=1"),
              testing::StartsWith("policy bqp: \"al\\npha=1\": not an option"));
}

TEST(PolicyTableTest, BqpNeedsARoomUnlessBetaIsZero) {
  EXPECT_EQ(ErrorOf("bqp:alpha=1:beta=0"), "");
  EXPECT_THAT(ErrorOf("bqp"), testing::HasSubstr("needs the thermal data"));
  EXPECT_THAT(ErrorOf("bqp:alpha=0\n:beta=0"),
              testing::StartsWith("policy bqp:alpha=0\\n:beta=0: alpha and"));
  EXPECT_EQ(ErrorOf("bqp:alpha=0:beta=0"),
            "policy bqp:alpha=0:beta=0: alpha and beta are both 0 (expected at "
            "least one above 0)");
}

TEST(PolicyTableTest, LatencyMatrixMustMatchNodeCount) {
  PolicyOptions options;
  options.latencies = LatencyMatrix::Create(1, {0}).value();
  EXPECT_EQ(ErrorOf("bqp:beta=0", options),
            "policy bqp:beta=0: the latency matrix has 1 row (expected 4, one "
            "for each node)");
}

}  // namespace
}  // namespace coolspan
