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
            "policy ptas: \"epsilon\": no value (expected epsilon=NUMBER)");
  EXPECT_EQ(ErrorOf("ptas:epsilon:0.5"),
            "policy ptas: \"epsilon\": no value (expected epsilon=NUMBER)");
  EXPECT_EQ(ErrorOf("ptas:epsilom=1"),
            "policy ptas: \"epsilom=1\": not an option of the policy; did you "
            "mean epsilon? (expected epsilon=NUMBER)");
  for (const char* empty : {"ptas:", "ptas::", "ptas:epsilon=0.5:"}) {
    EXPECT_EQ(ErrorOf(empty),
              "policy ptas: nothing after \":\" (expected epsilon=NUMBER)")
        << empty;
  }
  for (const char* number : {"0x1", " 0.5", "0.5 ", "0X.8p0", "", "\t1"}) {
    EXPECT_THAT(ErrorOf(std::string("ptas:epsilon=") + number),
                testing::HasSubstr("not a number"))
        << number;
  }
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
  EXPECT_THAT(ErrorOf("27"), testing::HasSubstr("commas separate policies"));
  EXPECT_THAT(ErrorOf("m\nm"), testing::StartsWith("unknown policy \"m\\nm\""));
  EXPECT_THAT(ErrorOf("bqp:al\npha=1"),
              testing::StartsWith("policy bqp: \"al\\npha=1\": not an option"));
}

TEST(PolicyTableTest, APolicyKnowsItsOptions) {
  const auto machine = MeshMachine(FlatGrid({4}));
  const PolicyOptions options = {MakeOrdering(*machine, "").value()};
  const auto made = MakePolicy("bqp:alpha=1:beta=0", machine, options).value();
  EXPECT_EQ(made->name(), "bqp");
  EXPECT_EQ(made->spec(), "bqp:alpha=1:beta=0");
  EXPECT_EQ(MakePolicy("mm", machine, options).value()->spec(), "mm");
}

TEST(PolicyTableTest, BqpNeedsARoomUnlessBetaIsZero) {
  EXPECT_EQ(ErrorOf("bqp:alpha=1:beta=0"), "");
  EXPECT_THAT(ErrorOf("bqp"), testing::HasSubstr("needs the thermal data"));
  EXPECT_THAT(ErrorOf("bqp:alpha=0\n:beta=0"),
              testing::StartsWith("policy bqp: \"alpha=0\\n\": not a number"));
  EXPECT_EQ(ErrorOf("bqp:alpha=0:beta=0"),
            "policy bqp:alpha=0:beta=0: alpha and beta are both 0 (expected at "
            "least one above 0)");
}

TEST(PolicyTableTest, NumbersOfThingsHaveNoFraction) {
  EXPECT_EQ(ErrorOf("coolspan:futures=2.5"),
            "policy coolspan: \"futures=2.5\": 2.5 has a fraction (expected a "
            "whole number, 0 to 64)");
  EXPECT_EQ(ErrorOf("coolspan:futures=65"),
            "policy coolspan: \"futures=65\": 65 is out of range (expected a "
            "whole number, 0 to 64)");
  EXPECT_THAT(ErrorOf("coolspan:energy-price=1e-7"),
              testing::HasSubstr("out of range"))
      << "the price of a watt would be infinite";
  EXPECT_EQ(ErrorOf("bqp:beta=0:subproblems=1e3"), "");
  EXPECT_THAT(ErrorOf("bqp:beta=0:subproblems=0.5"),
              testing::HasSubstr("0.5 has a fraction"));
}

TEST(PolicyTableTest, CoolspanWeighsTheRoomOnlyWhereThereIsOne) {
  EXPECT_EQ(ErrorOf("coolspan"), "");
  EXPECT_EQ(ErrorOf("coolspan:heat=0:futures=0:perimeter=0.3"), "");
  EXPECT_EQ(ErrorOf("coolspan:heat=1:futures=8:pue=0:energy-price=0.1"), "");
  for (const char* of_room : {"heat=2", "futures=4", "pue=1.5",
                              "node-price=0.2", "energy-price=0.3"}) {
    EXPECT_THAT(ErrorOf(std::string("coolspan:") + of_room),
                testing::HasSubstr("needs the thermal data of the room"))
        << of_room;
  }
}

TEST(PolicyTableTest, APowerUsageEffectivenessIsAtLeastOne) {
  EXPECT_EQ(ErrorOf("coolspan:pue=0.5"),
            "policy coolspan:pue=0.5: pue is below 1 (expected 0, or from 1 to "
            "10)");
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
