// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cli/cli_runner.h"

namespace coolspan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class AllocateTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    machine_ = WriteMesh("8, 1", "n[1-8]");
  }
  // On a line of eight nodes n1 to n8, ids 0 to 7.
  CliResult Allocate(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"allocate",   "--machine", machine_,
                                          "--ordering", "row-major", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunCli(arguments);
  }
  // The exit code of a best-fit request for this number of nodes.
  Exit ExitOf(const std::string& nodes, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"--policy", "best-fit", "--nodes",
                                          nodes};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CliResult result = Allocate(arguments);
    if (result.exit != Exit::kSuccess) {
      EXPECT_EQ(result.out, "");
      EXPECT_TRUE(IsOneLine(result.err)) << result.err;
    }
    return result.exit;
  }

  std::string WhyOfPtas(const std::string& policy, const std::string& epsilon) {
    return Allocate({"--policy", policy, "--nodes", "6", "--busy", "n3",
                     "--epsilon", epsilon})
        .Json()
        .at("why")
        .get<std::string>();
  }

  std::string machine_;
};

TEST_F(AllocateTest, ATreeHasAllMetricsExceptBoxes) {
  WriteFile("topology.conf",
            "SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n[4-6]\n");
  machine_ = WriteFile(
      "tree.yaml",
      "name: x\ntopology: {kind: fat-tree, slurm_topology: topology.conf}\n");
  const CliResult result =
      Allocate({"--policy", "mm", "--nodes", "3", "--busy", "n2"});
  EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  EXPECT_THAT(result.err, HasSubstr("warning: "));
  EXPECT_THAT(result.Json().at("nodes"), ElementsAre("n4", "n5", "n6"));
  const auto metrics = result.Json().at("metrics");
  EXPECT_EQ(metrics.at("pairwise_total"), 0);
  EXPECT_EQ(metrics.at("components"), 1);
  EXPECT_EQ(metrics.at("linear_span"), 3);
  for (const char* key : {"box_size", "box_dims_sum", "box_cube",
                          "box_expansion", "cube_expansion"}) {
    EXPECT_TRUE(metrics.at(key).is_null()) << key;
  }
  EXPECT_EQ(Allocate({"--policy", "mc", "--nodes", "2", "--shape", "2x1"}).exit,
            Exit::kBadInput);
}

TEST_F(AllocateTest, SegmentsAreWithinBlocks) {
  WriteFile("topology.conf",
            "BlockName=a Nodes=n[1-4]\nBlockName=b Nodes=n[5-8]\n");
  machine_ = WriteFile(
      "blocks.yaml",
      "name: x\ntopology: {kind: blocks, slurm_topology: topology.conf}\n");
  const auto nodes = [this](const char* segment) {
    return Allocate({"--policy", "first-fit", "--nodes", "4", "--busy", "n1,n8",
                     "--segment", segment})
        .Json()
        .at("nodes");
  };
  EXPECT_THAT(nodes("2"), ElementsAre("n2", "n3", "n5", "n6"));
  EXPECT_THAT(nodes("1"), ElementsAre("n2", "n3", "n4", "n5"));
  const auto four = [this](const char* option) {
    return Allocate({"--policy", "first-fit", "--nodes", "4", "--segment", "2",
                     option})
        .Json()
        .at("nodes");
  };
  EXPECT_THAT(four("--spread-segments"), ElementsAre("n1", "n2", "n5", "n6"));
  EXPECT_THAT(four("--consolidate-segments"),
              ElementsAre("n1", "n2", "n3", "n4"));
  EXPECT_THAT(
      Allocate({"--policy", "first-fit", "--nodes", "4", "--spread-segments"})
          .err,
      HasSubstr("--segment"));
  const CliResult whole =
      Allocate({"--policy", "first-fit", "--nodes", "6", "--segment", "4"});
  EXPECT_EQ(whole.exit, Exit::kCannotBeMet);
  EXPECT_THAT(whole.err, HasSubstr("the nodes are no multiple of the segment"));
  machine_ = WriteFile("line.yaml",
                       "name: x\ntopology: {kind: mesh, dims: [8]}\nnodes: "
                       "\"n[1-8]\"\n");
  const CliResult line =
      Allocate({"--policy", "first-fit", "--nodes", "4", "--segment", "2"});
  EXPECT_EQ(line.exit, Exit::kCannotBeMet);
  EXPECT_THAT(line.err, HasSubstr("the machine has no blocks"));
}

TEST_F(AllocateTest, JsonHasTheFieldsUsersScriptAgainst) {
  const auto json =
      Allocate({"--policy", "first-fit", "--nodes", "3", "--busy", "n2"})
          .Json();
  EXPECT_EQ(json.at("policy"), "first-fit");
  EXPECT_THAT(json.at("nodes"), ElementsAre("n3", "n4", "n5"));
  EXPECT_THAT(json.at("ids"), ElementsAre(2, 3, 4));
  EXPECT_GE(json.at("elapsed_us"), 0);
  const auto& metrics = json.at("metrics");
  EXPECT_EQ(metrics.at("pairwise_total"), 4);
  EXPECT_EQ(metrics.at("linear_span"), 3);
  EXPECT_EQ(metrics.at("components"), 1);
  for (const char* key :
       {"pairwise_mean", "comm_cost", "ring_span", "stretch_span", "box_size",
        "box_dims_sum", "box_cube", "box_expansion", "cube_expansion"}) {
    EXPECT_TRUE(metrics.contains(key)) << key;
  }
}

TEST_F(AllocateTest, ExactReportsItsProof) {
  const CliResult json = Allocate({"--policy", "exact", "--nodes", "4"});
  const auto proof = json.Json().at("proof");
  EXPECT_EQ(proof.at("proved"), true);
  EXPECT_EQ(proof.at("lower_bound"),
            json.Json().at("metrics").at("pairwise_total"));
  EXPECT_EQ(proof.at("gap"), 0);
  EXPECT_FALSE(Allocate({"--policy", "best-fit", "--nodes", "4"})
                   .Json()
                   .contains("proof"));
}

TEST_F(AllocateTest, TimeLimitGivesTheBestAnswerAndABound) {
  const CliResult json =
      Allocate({"--policy", "exact", "--nodes", "6", "--time-limit", "1e-9"});
  const auto proof = json.Json().at("proof");
  EXPECT_EQ(proof.at("proved"), false);
  EXPECT_GT(proof.at("gap"), 0);
  EXPECT_LT(proof.at("gap"), 1);
  EXPECT_EQ(json.Json().at("ids").size(), 6U);
  EXPECT_EQ(json.Json().at("stopped_early"), true);
  EXPECT_EQ(Allocate({"--policy", "exact", "--nodes", "4"})
                .Json()
                .at("stopped_early"),
            false);
}

TEST_F(AllocateTest, EpsilonSetsTheStripsOfPtas) {
  EXPECT_THAT(WhyOfPtas("ptas", "0.5"), testing::HasSubstr("strips 2"));
  EXPECT_THAT(WhyOfPtas("ptas", "0.25"), testing::HasSubstr("strips 4"));
}

TEST_F(AllocateTest, NumbersInThePolicysNameReplaceFlags) {
  EXPECT_THAT(WhyOfPtas("ptas", "0.5"), testing::HasSubstr("strips 2"));
  EXPECT_THAT(WhyOfPtas("ptas:epsilon=0.25", "0.5"),
              testing::HasSubstr("strips 4"));
}

TEST_F(AllocateTest, BqpWithoutHeatNeedsNoRoom) {
  const std::vector<std::string> question = {"--nodes", "3", "--busy", "n2,n6"};
  const auto ask = [&](std::vector<std::string> more) {
    more.insert(more.end(), question.begin(), question.end());
    return Allocate(std::move(more));
  };
  const CliResult spec = ask({"--policy", "bqp:alpha=1:beta=0"});
  ASSERT_EQ(spec.exit, Exit::kSuccess) << spec.err;
  EXPECT_THAT(spec.Json().at("nodes"), ElementsAre("n3", "n4", "n5"));
  EXPECT_EQ(spec.Json().at("policy"), "bqp");
  EXPECT_EQ(spec.Json().at("proof").at("proved"), true);
  EXPECT_EQ(spec.Json().at("proof").at("gap"), 0);
  const CliResult flags =
      ask({"--policy", "bqp", "--alpha", "1", "--beta", "0"});
  EXPECT_EQ(flags.Json().at("why"), spec.Json().at("why"));

  const CliResult no_room = ask({"--policy", "bqp"});
  EXPECT_EQ(no_room.exit, Exit::kBadInput);
  EXPECT_THAT(no_room.err, HasSubstr("needs the thermal data of the room"));
  const CliResult bad = ask({"--policy", "bqp", "--beta", "-1"});
  EXPECT_EQ(bad.exit, Exit::kBadInput);
  EXPECT_THAT(bad.err,
              HasSubstr("--beta: -1 is out of range (expected 0 to 1000)"));
}

TEST_F(AllocateTest, OptionsOfAnotherPolicyAreRefused) {
  const CliResult number =
      Allocate({"--policy", "best-fit", "--nodes", "1", "--alpha", "1"});
  EXPECT_EQ(number.exit, Exit::kBadInput);
  EXPECT_EQ(number.err,
            "--alpha: not an option of best-fit (expected policy bqp)\n");
  const CliResult matrix = Allocate({"--policy", "ptas:epsilon=0.5", "--nodes",
                                     "1", "--latency-matrix", "l.txt"});
  EXPECT_EQ(matrix.exit, Exit::kBadInput);
  EXPECT_EQ(matrix.err,
            "--latency-matrix: not an option of ptas:epsilon=0.5 (expected "
            "policy bqp)\n");
}

TEST_F(AllocateTest, BqpTakesMeasuredLatencies) {
  // Only n1 and n8 are near each other.
  std::string matrix;
  for (int a = 1; a <= 8; ++a) {
    for (int b = 1; b <= 8; ++b) {
      matrix += a + b == 9 && (a == 1 || b == 1) ? "1 " : "50 ";
    }
    matrix += "\n";
  }
  const std::string path = WriteFile("latencies.txt", matrix);
  const CliResult result = Allocate(
      {"--policy", "bqp:beta=0", "--nodes", "2", "--latency-matrix", path});
  ASSERT_EQ(result.exit, Exit::kSuccess) << result.err;
  EXPECT_THAT(result.Json().at("nodes"), ElementsAre("n1", "n8"));
  const CliResult bad =
      Allocate({"--policy", "bqp:beta=0", "--nodes", "2", "--latency-matrix",
                WriteFile("small.txt", "0 1\n1 0\n")});
  EXPECT_EQ(bad.exit, Exit::kBadInput);
  EXPECT_THAT(bad.err, HasSubstr("2 rows, 8 nodes in the machine"));
}

TEST_F(AllocateTest, TheIdealDoesNotDependOnThePolicy) {
  const auto ideal = [this](const std::string& policy) {
    return Allocate({"--policy", policy, "--nodes", "4", "--busy", "n2,n6"})
        .Json()
        .at("metrics")
        .at("ideal_pairwise_total");
  };
  EXPECT_EQ(ideal("best-fit"), ideal("random"));
  EXPECT_EQ(ideal("exact"), ideal("random"));
}

TEST_F(AllocateTest, PoliciesDiffer) {
  const std::vector<std::string> rest = {"--nodes", "2", "--busy", "n4,n7"};
  const auto nodes = [&](const std::string& policy) {
    std::vector<std::string> arguments = rest;
    arguments.insert(arguments.end(), {"--policy", policy});
    return Allocate(arguments).Json().at("ids");
  };
  EXPECT_THAT(nodes("first-fit"), ElementsAre(0, 1));
  EXPECT_THAT(nodes("best-fit"), ElementsAre(4, 5));
}

TEST_F(AllocateTest, ListsComeInEveryForm) {
  const std::string file = WriteFile("busy", "n1 n[2-3]\n\n n5,n6\n");
  const std::string ids = WriteFile("ids", "0 1 2\n4 5\n");
  for (const std::string& busy :
       {std::string("n[1-3],n[5,6]"), std::string("0,1,2,4,5"), "@" + file,
        "@" + ids}) {
    const auto json =
        Allocate({"--policy", "free-list", "--nodes", "3", "--busy", busy})
            .Json();
    EXPECT_THAT(json.at("ids"), ElementsAre(3, 6, 7)) << busy;
  }
}

TEST_F(AllocateTest, RequiredInExcludedOut) {
  const auto json = Allocate({"--policy", "first-fit", "--nodes", "2",
                              "--require", "n6", "--exclude", "n7"})
                        .Json();
  EXPECT_THAT(json.at("ids"), ElementsAre(4, 5));
}

TEST_F(AllocateTest, UnmetRequestIsExitOne) {
  EXPECT_EQ(ExitOf("8", {"--busy", "n1"}), Exit::kCannotBeMet);
  EXPECT_EQ(ExitOf("9", {}), Exit::kCannotBeMet);
  EXPECT_EQ(ExitOf("1", {"--busy", "n[1-8]"}), Exit::kCannotBeMet);
  EXPECT_EQ(ExitOf("8", {"--exclude", "n8"}), Exit::kCannotBeMet);
  EXPECT_EQ(ExitOf("2", {"--require", "n1", "--busy", "n1"}),
            Exit::kCannotBeMet);
  EXPECT_EQ(ExitOf("2", {"--require", "n1", "--exclude", "n1"}),
            Exit::kCannotBeMet);
  EXPECT_EQ(ExitOf("1", {"--require", "n[1-2]"}), Exit::kCannotBeMet);
}

TEST_F(AllocateTest, BadInputIsExitTwo) {
  EXPECT_EQ(ExitOf("0", {}), Exit::kBadInput);
  EXPECT_EQ(ExitOf("1", {"--busy", "n9"}), Exit::kBadInput);
  EXPECT_EQ(ExitOf("1", {"--busy", "8"}), Exit::kBadInput);
  EXPECT_EQ(ExitOf("1", {"--busy", "n[1-"}), Exit::kBadInput);
  EXPECT_EQ(ExitOf("1", {"--busy", "n[1-1000000000]"}), Exit::kBadInput);
  EXPECT_EQ(ExitOf("1", {"--busy", "@" + (folder_ / "none").string()}),
            Exit::kBadInput);
  EXPECT_EQ(ExitOf("1", {"--busy", "@"}), Exit::kBadInput);
  EXPECT_EQ(ExitOf("1", {"--span", "round"}), Exit::kBadInput);
  EXPECT_EQ(ExitOf("1", {"--repeat", "0"}), Exit::kBadInput);
  EXPECT_EQ(ExitOf("1", {"--time-limit", "0"}), Exit::kBadInput);
  EXPECT_EQ(ExitOf("1", {"--time-limit", "nan"}), Exit::kBadInput);
  EXPECT_EQ(ExitOf("1", {"--epsilon", "0"}), Exit::kBadInput);
  EXPECT_EQ(ExitOf("1", {"--epsilon", "1.5"}), Exit::kBadInput);
  EXPECT_EQ(ExitOf("1", {"--pattern", "p.csv"}), Exit::kBadInput);
}

TEST_F(AllocateTest, ShapesMustBeSupportedAndFit) {
  machine_ = WriteMesh("4, 2", "n[1-8]");
  const auto error_of = [this](const std::string& policy,
                               const std::string& nodes,
                               const std::string& shape) {
    const CliResult result =
        Allocate({"--policy", policy, "--nodes", nodes, "--shape", shape});
    EXPECT_EQ(result.exit, Exit::kBadInput) << shape;
    return result.err;
  };
  EXPECT_THAT(
      error_of("best-fit", "2", "2x1"),
      HasSubstr("not supported by policy best-fit (expected policy mc)"));
  EXPECT_THAT(error_of("mc", "4", "2x1"), HasSubstr("holds 2 nodes"));
  EXPECT_THAT(error_of("mc", "1", "2x1x1"), HasSubstr("3 dimensions"));
  EXPECT_THAT(error_of("mc", "1", "9x1"), HasSubstr("does not fit"));
  EXPECT_THAT(error_of("mc", "1", "2x"), HasSubstr("is not a shape"));
  EXPECT_THAT(error_of("mc", "1", "0x1"), HasSubstr("is not a shape"));
  const CliResult tall = Allocate(
      {"--policy", "mc", "--nodes", "2", "--shape", "1x2", "--busy", "n1"});
  const CliResult wide = Allocate(
      {"--policy", "mc", "--nodes", "2", "--shape", "2x1", "--busy", "n1"});
  ASSERT_EQ(tall.exit, Exit::kSuccess) << tall.err;
  ASSERT_EQ(wide.exit, Exit::kSuccess) << wide.err;
  EXPECT_NE(tall.Json().at("ids"), wide.Json().at("ids"));
}

TEST_F(AllocateTest, ErrorsInListFilesHaveALocation) {
  const auto error_of = [this](const std::string& text) {
    const std::string path = WriteFile("list", text);
    const CliResult result = Allocate(
        {"--policy", "best-fit", "--nodes", "1", "--busy", "@" + path});
    EXPECT_EQ(result.exit, Exit::kBadInput);
    EXPECT_TRUE(IsOneLine(result.err)) << result.err;
    EXPECT_THAT(result.err, testing::StartsWith(path + ":"));
    return result.err.substr(path.size() + 1);
  };
  EXPECT_THAT(error_of("n1,n2\n n9"), testing::StartsWith("2:2: "));
  EXPECT_THAT(error_of("0 1 2\n3,8"), testing::StartsWith("2:3: "));
  EXPECT_THAT(error_of("n1 5 n2"),
              testing::StartsWith("1:4: names and ids cannot be mixed: 5 is an "
                                  "id (expected names or ids)"));
  EXPECT_THAT(error_of("n1 n[2"), testing::StartsWith("1:4: "));
}

TEST_F(AllocateTest, UnknownPolicyNamesTheKnownOnes) {
  const CliResult result = Allocate({"--policy", "worst-fit", "--nodes", "1"});
  EXPECT_EQ(result.exit, Exit::kBadInput);
  EXPECT_THAT(result.err, HasSubstr("best-fit"));
}

TEST_F(AllocateTest, SpanIsRingByDefault) {
  // Free: n1, n2 and n8. Around the ring n8, n1, n2 are three in a row.
  const std::vector<std::string> rest = {
      "--policy", "best-fit", "--nodes", "3",      "--busy",
      "n[3-7]",   "--repeat", "3",       "--seed", "7"};
  const auto json = Allocate(rest).Json();
  EXPECT_EQ(json.at("metrics").at("ring_span"), 3);
  EXPECT_EQ(json.at("metrics").at("linear_span"), 8);
}

TEST_F(AllocateTest, JsonHasTheFactsOfTheDecision) {
  const auto facts =
      Allocate({"--policy", "best-fit", "--nodes", "3", "--busy", "n5"})
          .Json()
          .at("facts");
  EXPECT_EQ(facts.at("available_nodes"), 7);
  EXPECT_EQ(facts.at("left_over_ranks"), 0);
}

TEST_F(AllocateTest, TheReasonIsWrappedToTheTerminal) {
  const CliResult result =
      RunCli({"allocate", "--machine", machine_, "--ordering", "row-major",
              "--policy", "best-fit", "--nodes", "3"},
             false, 40);
  EXPECT_THAT(result.out, HasSubstr("best-fit: available nodes 8, free\n"
                                    "  intervals 1, interval ranks 8, first\n"
                                    "  rank 0, unused ranks 5\n"));
}

TEST_F(AllocateTest, TextShowsNodesAndWhy) {
  const CliResult result = RunCli({"allocate", "--machine", machine_,
                                   "--policy", "best-fit", "--nodes", "3"});
  EXPECT_EQ(result.exit, Exit::kSuccess);
  EXPECT_THAT(result.out, testing::StartsWith("n[1-3]\nbest-fit"));
  EXPECT_THAT(result.out, HasSubstr("pairwise_total"));
}

}  // namespace
}  // namespace coolspan
