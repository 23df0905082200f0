// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cli/cli_runner.h"

namespace coolspan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using OrderTest = CliTest;

TEST_F(OrderTest, JsonHasTheFieldsUsersScriptAgainst) {
  const std::string machine = WriteMesh("3, 2", "n[1-6]");
  const auto json =
      RunCli({"order", "--machine", machine, "--ordering", "snake", "--json"})
          .Json();
  EXPECT_EQ(json.at("ordering"), "snake");
  EXPECT_THAT(json.at("nodes"),
              ElementsAre("n1", "n2", "n3", "n6", "n5", "n4"));
  EXPECT_EQ(json.at("max_step"), 1);
  EXPECT_EQ(json.at("mean_step"), 1);
  // By hand: ranks on a path of six; distances 1 to each next, and
  // rank differences 2: 2,2,2,2; 3: 3,1,3; 4: 2,2; 5: 1.
  const double expected = 5 * 1 / 2.0 + 8 / 4.0 + 7 / 8.0 + 4 / 16.0 + 1 / 32.0;
  EXPECT_DOUBLE_EQ(json.at("locality_cost"), expected);
  EXPECT_TRUE(json.at("locality_cost_ring").is_number());
  EXPECT_EQ(json.size(), 6U);
}

TEST_F(OrderTest, CompareRanksByLocalityCost) {
  const std::string machine = WriteMesh("8, 8", "n[01-64]");
  const auto json =
      RunCli({"order", "--machine", machine, "--compare", "--json"}).Json();
  EXPECT_EQ(json.at("ordering"), "hilbert");
  const auto& compared = json.at("compare");
  ASSERT_GE(compared.size(), 3U);
  for (std::size_t i = 1; i < compared.size(); ++i) {
    EXPECT_LE(compared[i - 1].at("locality_cost"),
              compared[i].at("locality_cost"));
  }
  // mip starts from the other orderings, so it is at least as good.
  EXPECT_EQ(compared.front().at("place"), 1);
  EXPECT_EQ(compared.front().at("ordering"), "mip:seconds=5");
}

TEST_F(OrderTest, MipReportsItsProof) {
  const std::string machine = WriteMesh("3, 2", "n[1-6]");
  const auto json =
      RunCli({"order", "--machine", machine, "--ordering", "mip", "--json"})
          .Json();
  EXPECT_EQ(json.at("objective"), "locality_cost");
  EXPECT_EQ(json.at("proved"), true);
  EXPECT_EQ(json.at("bound"), json.at("locality_cost"));
  EXPECT_EQ(json.at("gap"), 0);
  const CliResult ring =
      RunCli({"order", "--machine", machine, "--ordering", "mip:ring"});
  EXPECT_THAT(ring.out, HasSubstr("minimum locality_cost_ring, proved"));
  const std::string large = WriteMesh("4, 5, 2", "n[01-40]");
  const CliResult gap =
      RunCli({"order", "--machine", large, "--ordering", "mip:seconds=0"});
  EXPECT_THAT(gap.out, HasSubstr("gap"));
  const CliResult wrong =
      RunCli({"order", "--machine", machine, "--ordering", "mip:soon"});
  EXPECT_EQ(wrong.exit, Exit::kBadInput);
  EXPECT_THAT(wrong.err, HasSubstr("soon"));
}

TEST_F(OrderTest, CompareTriesATraceOnEachOrdering) {
  const std::string machine = WriteMesh("8, 9", "n[01-72]");
  std::string log;
  for (int job = 1; job <= 40; ++job) {
    log += std::to_string(job) + " " + std::to_string(job * 7) + " -1 " +
           std::to_string(50 + job * 13 % 90) + " " +
           std::to_string(1 + job * 5 % 23) +
           " -1 -1 -1 -1 -1 1 1 1 -1 1 -1 -1 -1\n";
  }
  const std::string trace = WriteFile("log.swf", log);
  const auto compared =
      RunCli({"order", "--machine", machine, "--compare", "--trace", trace,
              "--policy", "best-fit", "--max-jobs", "30", "--json"})
          .Json()
          .at("compare");
  for (const auto& one : compared) {
    const std::string name = one.at("ordering");
    const auto replayed =
        RunCli({"replay", "--machine", machine, "--trace", trace, "--policy",
                "best-fit", "--max-jobs", "30", "--ordering", name, "--json"})
            .Json()
            .at("runs")
            .at(0)
            .at("metrics");
    EXPECT_EQ(one.at("replay").at("pairwise_total"),
              replayed.at("pairwise_total"))
        << name;
    std::size_t better = 0;
    for (const auto& other : compared) {
      better += other.at("replay").at("pairwise_total") <
                        one.at("replay").at("pairwise_total")
                    ? 1U
                    : 0U;
    }
    EXPECT_EQ(one.at("replay_place"), better + 1) << name;
  }
  const CliResult text = RunCli({"order", "--machine", machine, "--compare",
                                 "--trace", trace, "--max-jobs", "30"});
  EXPECT_THAT(text.out, HasSubstr("replayed pairwise_total"));
}

TEST_F(OrderTest, ATraceNeedsCompareAndAKnownPolicy) {
  const std::string machine = WriteMesh("3, 2", "n[1-6]");
  const CliResult alone =
      RunCli({"order", "--machine", machine, "--trace", "x.swf"});
  EXPECT_EQ(alone.exit, Exit::kBadInput);
  EXPECT_THAT(alone.err, HasSubstr("--compare"));
  const std::string trace =
      WriteFile("log.swf", "1 0 -1 5 2 -1 -1 -1 -1 -1 1 1 1 -1 1 -1 -1 -1\n");
  const CliResult policy = RunCli({"order", "--machine", machine, "--compare",
                                   "--trace", trace, "--policy", "none-such"});
  EXPECT_EQ(policy.exit, Exit::kBadInput);
  EXPECT_THAT(policy.err, HasSubstr("none-such"));
}

TEST_F(OrderTest, OptionsOfAReplayNeedATrace) {
  const std::string machine = WriteMesh("3, 2", "n[1-6]");
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--policy", "mm"},
                                                        {"--scheduler", "fcfs"},
                                                        {"--span", "linear"},
                                                        {"--seed", "3"},
                                                        {"--max-jobs", "3"}}) {
    const CliResult result =
        RunCli({"order", "--machine", machine, "--compare", option, value});
    EXPECT_EQ(result.exit, Exit::kBadInput);
    EXPECT_EQ(result.err, "coolspan order: " + option +
                              ": requires --trace (see coolspan order "
                              "--help)\n");
  }
}

TEST_F(OrderTest, CompareIncludesAFile) {
  const std::string machine = WriteMesh("2, 2", "n[1-4]");
  const std::string order = WriteFile("order.txt", "n1,n4 n2\nn3\n");
  const CliResult result = RunCli({"order", "--machine", machine, "--ordering",
                                   "file:" + order, "--compare"});
  EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  EXPECT_THAT(result.out, HasSubstr("file:" + order));
}

TEST_F(OrderTest, TextIsAHostlistInRankOrder) {
  const std::string machine = WriteMesh("3, 2", "n[1-6]");
  const CliResult result =
      RunCli({"order", "--machine", machine, "--ordering", "row-major"});
  EXPECT_THAT(result.out, testing::StartsWith("n[1-6]\n"));
}

TEST_F(OrderTest, UnknownOrderingAndMissingFilesAreBadInput) {
  const std::string machine = WriteMesh("3, 2", "n[1-6]");
  const CliResult unknown =
      RunCli({"order", "--machine", machine, "--ordering", "peano"});
  EXPECT_EQ(unknown.exit, Exit::kBadInput);
  EXPECT_THAT(unknown.err, HasSubstr("hilbert"));
  const CliResult missing =
      RunCli({"order", "--machine", folder_ / "none.yaml"});
  EXPECT_EQ(missing.exit, Exit::kBadInput);
  EXPECT_THAT(missing.err, HasSubstr("none.yaml"));
  const CliResult no_order =
      RunCli({"order", "--machine", machine, "--ordering",
              "file:" + (folder_ / "x").string()});
  EXPECT_EQ(no_order.exit, Exit::kBadInput);
}

}  // namespace
}  // namespace coolspan
