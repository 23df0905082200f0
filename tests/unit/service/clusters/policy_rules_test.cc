// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/policy_rules.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

#include "service/codec/job_comment.h"
#include "setup/policy_trial.h"
#include "unit/service/small_cluster.h"

namespace coolspan {
namespace {

class PolicyRulesTest : public ::testing::Test {
 protected:
  // "policy on ordering, because"
  std::string Choose(const v1::AllocateRequest& request) {
    const PolicyChoice choice = rules_.Choose(request);
    return std::string(choice.policy->name()) + " on " + choice.ordering +
           ", " + choice.rule;
  }
  std::string ForComment(const std::string& comment) {
    v1::AllocateRequest request = AskFor("", 1, 1);
    request.set_comment(comment);
    return Choose(request);
  }

  // First-fit on row-major.
  DaemonSetup setup_ = SmallSetup("/tmp", R"(
rules:
  - {name: wide, partition: gpu, nodes: 4-, policy: free-list}
  - {partition: [gpu, cpu], policy: best-fit, ordering: snake}
  - {comment: "*tight*", policy: random}
comment_policies: [random, first-fit, "bqp:alpha=2:beta=0"]
)");
  PolicyRules rules_{setup_};
};

TEST_F(PolicyRulesTest, DefaultPolicyWithoutAMatchingRule) {
  EXPECT_EQ(Choose(AskFor("", 1, 8)), "first-fit on row-major, ");
}

TEST_F(PolicyRulesTest, FirstMatchingRuleApplies) {
  v1::AllocateRequest request = AskFor("", 1, 4);
  request.set_partition("gpu");
  request.set_comment("tight");
  EXPECT_EQ(Choose(request), "free-list on row-major, rule 1 \"wide\", line 9");
  request.set_min_nodes(3);
  EXPECT_EQ(Choose(request), "best-fit on snake, rule 2, line 10");
  request.set_partition("debug");
  EXPECT_EQ(Choose(request), "random on row-major, rule 3, line 11");
}

TEST_F(PolicyRulesTest, NodeRangesMatchByTheirMinimum) {
  v1::AllocateRequest request = AskFor("", 1, 3);
  request.set_max_nodes(8);
  request.set_units(12);
  request.set_partition("gpu");
  EXPECT_EQ(Choose(request), "best-fit on snake, rule 2, line 10");
}

TEST_F(PolicyRulesTest, CommentSelectsAPolicy) {
  v1::AllocateRequest request = AskFor("", 1, 4);
  request.set_partition("gpu");
  request.set_comment("coolspan:policy=random");
  EXPECT_EQ(Choose(request),
            "random on row-major, comment coolspan:policy=random");
}

TEST_F(PolicyRulesTest, CommentMaySetAllowedPolicyNumbersOnly) {
  EXPECT_EQ(ForComment("coolspan:policy=bqp:alpha=2:beta=0"),
            "bqp on row-major, comment coolspan:policy=bqp:alpha=2:beta=0");
  for (const std::string spec : {"bqp", "bqp:alpha=2", "exact"}) {
    EXPECT_EQ(ForComment("coolspan:policy=" + spec),
              "first-fit on row-major, policy \"" + spec +
                  "\" in the job comment is not in comment_policies (ignored)");
  }
  EXPECT_EQ(ForComment("coolspan:policy=bqp:gamma=2"),
            "first-fit on row-major, invalid policy \"bqp:gamma=2\" in the job "
            "comment (ignored)");
}

TEST_F(PolicyRulesTest, FastPoliciesAreAllowedByDefault) {
  const PolicyRules rules(SmallSetup("/tmp"));
  v1::AllocateRequest request = AskFor("", 1, 1);
  for (const auto& [policy, chosen] : {std::pair("mbs", "mbs"),
                                       {"exact", "first-fit"},
                                       {"mc", "first-fit"},
                                       {"mc1x1", "first-fit"},
                                       {"ptas", "first-fit"},
                                       {"min-hr", "first-fit"}}) {
    request.set_comment(std::string("coolspan:policy=") + policy);
    EXPECT_EQ(rules.Choose(request).policy->name(), chosen);
  }
}

TEST_F(PolicyRulesTest, DefaultPoliciesTooSlowForTheDeadlineAreIgnored) {
  DaemonSetup setup = SmallSetup("/tmp");
  std::chrono::steady_clock::time_point time;
  TryPolicies(setup, [&time] { return time += std::chrono::seconds(1); });
  v1::AllocateRequest request = AskFor("", 1, 1);
  request.set_comment("coolspan:policy=mbs");
  const PolicyChoice choice = PolicyRules(setup).Choose(request);
  EXPECT_EQ(choice.policy->name(), "first-fit");
  EXPECT_EQ(choice.rule,
            "policy \"mbs\" in the job comment takes longer than deadline_ms "
            "(ignored)");
}

TEST_F(PolicyRulesTest, NoneAllowsNoPolicy) {
  const PolicyRules rules(SmallSetup("/tmp", "comment_policies: none\n"));
  v1::AllocateRequest request = AskFor("", 1, 1);
  request.set_comment("coolspan:policy=random");
  EXPECT_EQ(rules.Choose(request).policy->name(), "first-fit");
}

TEST_F(PolicyRulesTest, CommentMayHaveOtherWords) {
  const std::string random =
      "random on row-major, comment coolspan:policy=random";
  for (const char* comment :
       {"coolspan:policy=random", "run 7 coolspan:policy=random, see wiki",
        "a,coolspan:policy=random", "a;coolspan:policy=random;b",
        "\tcoolspan:policy=random\n", ",, coolspan:policy=random",
        "coolspan:policy=random coolspan:policy=best-fit"}) {
    EXPECT_EQ(ForComment(comment), random) << comment;
  }
  for (const char* comment :
       {"", " ", "coolspan", "random", ",;, ", "xcoolspan:policy=random",
        "Coolspan:policy=random"}) {
    EXPECT_EQ(ForComment(comment), "first-fit on row-major, ") << comment;
  }
}

TEST_F(PolicyRulesTest, AnInvalidPolicyIsReportedAndIgnored) {
  EXPECT_EQ(ForComment("coolspan:policy=bestfit"),
            "first-fit on row-major, invalid policy \"bestfit\" in the job "
            "comment (ignored)");
  EXPECT_EQ(ForComment("coolspan:policy="),
            "first-fit on row-major, invalid policy \"\" in the job comment "
            "(ignored)");
  EXPECT_EQ(
      ForComment("tight coolspan:policy=bestfit"),
      "random on row-major, rule 3, line 11; invalid policy \"bestfit\" in "
      "the job comment (ignored)");
}

TEST_F(PolicyRulesTest, AnUnknownSettingIsReportedAndIgnored) {
  EXPECT_EQ(
      ForComment("coolspan:policy best-fit"),
      "first-fit on row-major, unknown setting \"coolspan:policy\" in the "
      "job comment (ignored)");
}

TEST_F(PolicyRulesTest, AnInvalidShareIsReportedAndIgnored) {
  EXPECT_EQ(ForComment("coolspan:comm-share=0.5"), "first-fit on row-major, ");
  EXPECT_EQ(
      ForComment("coolspan:comm-share=30%"),
      "first-fit on row-major, invalid communication share \"30%\" in the "
      "job comment (ignored)");
  EXPECT_EQ(ForComment("coolspan:comm-share=2 coolspan:policy=random"),
            "random on row-major, comment coolspan:policy=random; invalid "
            "communication share \"2\" in the job comment (ignored)");
  EXPECT_EQ(
      ForComment("tight coolspan:comm-share= coolspan:policy=bestfit"),
      "random on row-major, rule 3, line 11; invalid policy \"bestfit\" in "
      "the job comment (ignored); invalid communication share \"\" in the "
      "job comment (ignored)");
}

TEST_F(PolicyRulesTest, ShareOfTheRequestOverridesAnInvalidOne) {
  v1::AllocateRequest request = AskFor("", 1, 1);
  request.set_comment("coolspan:comm-share=2");
  request.set_communication_share(0.5F);
  EXPECT_EQ(Choose(request), "first-fit on row-major, ");
}

TEST_F(PolicyRulesTest, MessagesAreShortAndPrintable) {
  const std::string choice =
      ForComment("coolspan:policy=\xff\x01\"" + std::string(5000, 'x'));
  EXPECT_LT(choice.size(), 300U);
  for (const char c : choice) EXPECT_TRUE(c >= ' ' && c <= '~') << choice;
}

TEST_F(PolicyRulesTest, EndOfALongCommentIsIgnored) {
  const std::string name = "coolspan:policy=random";
  const std::size_t room = JobComment::kMaxBytes - name.size();
  EXPECT_EQ(ForComment(std::string(room, ' ') + name),
            "random on row-major, comment coolspan:policy=random");
  EXPECT_EQ(ForComment(std::string(room + name.size(), ' ') + name),
            "first-fit on row-major, ");
}

TEST_F(PolicyRulesTest, EqualNamesShareOnePolicy) {
  v1::AllocateRequest request = AskFor("", 1, 1);
  request.set_comment("coolspan:policy=random");
  EXPECT_EQ(rules_.Choose(request).policy, rules_.Choose(request).policy);
  request.set_comment("coolspan:policy=first-fit");
  EXPECT_EQ(rules_.Choose(request).policy, setup_.policy);
}

}  // namespace
}  // namespace coolspan
