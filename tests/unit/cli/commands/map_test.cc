// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/cli/cli_runner.h"

namespace coolspan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A line of four nodes; rank 0 talks to rank 2, rank 1 to rank 3.
class MapTest : public CliTest {
 protected:
  MapTest() = default;
  std::vector<std::string> Arguments(std::vector<std::string> more) {
    std::vector<std::string> all = {"map",
                                    "--machine",
                                    WriteMesh("4", "n[1-4]"),
                                    "--nodes",
                                    "n[1-4]",
                                    "--pattern",
                                    WriteFile("p.txt", "0 2 100\n1 3 10\n")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(MapTest, JsonHasTheFieldsUsersScriptAgainst) {
  const auto json = RunCli(Arguments({"--json"})).Json();
  EXPECT_EQ(json.at("rank_to_node").size(), 4U);
  EXPECT_EQ(json.at("cost"), 110);
  EXPECT_EQ(json.at("in_order_cost"), 220);
  EXPECT_EQ(json.at("gain_percent"), 50);
  EXPECT_EQ(json.at("method"), "rcb");
}

TEST_F(MapTest, InOrderIsByNodeId) {
  const auto json =
      RunCli(Arguments({"--method", "in-order", "--json"})).Json();
  EXPECT_THAT(json.at("rank_to_node"), ElementsAre("n1", "n2", "n3", "n4"));
  EXPECT_EQ(json.at("cost"), json.at("in_order_cost"));
}

TEST_F(MapTest, PrintsFilesForLaunchers) {
  EXPECT_EQ(RunCli(Arguments({"--method", "in-order", "--hostfile"})).out,
            "n1\nn2\nn3\nn4\n");
  EXPECT_EQ(RunCli(Arguments({"--method", "in-order", "--rankfile",
                              "--ranks-per-node", "2"}))
                .out,
            "rank 0=n1 slot=0\nrank 1=n1 slot=1\nrank 2=n2 slot=0\n"
            "rank 3=n2 slot=1\n");
}

TEST_F(MapTest, ALimitThatEndsTheSearchIsSaid) {
  for (const char* const output : {"--hostfile", "--rankfile", "--json"}) {
    const CliResult result =
        RunCli(Arguments({"--time-limit", "1e-9", output}));
    EXPECT_EQ(result.exit, Exit::kSuccess);
    EXPECT_EQ(result.err,
              "warning: the time limit was reached: the mapping is the best "
              "one so far (--time-limit)\n");
  }
}

TEST_F(MapTest, JsonExcludesFilesForLaunchers) {
  for (const std::string output : {"--hostfile", "--rankfile"}) {
    const CliResult result = RunCli(Arguments({output, "--json"}));
    EXPECT_EQ(result.exit, Exit::kBadInput);
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(IsOneLine(result.err)) << result.err;
    EXPECT_THAT(result.err, HasSubstr("--json excludes " + output));
  }
}

TEST_F(MapTest, HelpNamesTheMethodWithoutSwaps) {
  EXPECT_THAT(RunCli({"map", "--help"}).out, HasSubstr("rcb:swaps=0"));
}

TEST_F(MapTest, TextShowsTheGain) {
  const CliResult result = RunCli(Arguments({}));
  EXPECT_EQ(result.exit, Exit::kSuccess);
  EXPECT_THAT(result.out, HasSubstr("4 ranks on 4 nodes, 110 bytes"));
  EXPECT_THAT(result.out, HasSubstr("50.0 % less"));
}

TEST_F(MapTest, BadInputIsOneLine) {
  const std::string bad = WriteFile("bad.csv", "0,1\n2,-3\n");
  const struct {
    std::vector<std::string> more;
    const char* message;
  } cases[] = {
      {{"--pattern", bad}, "bad.csv:2:3: \"-3\" is not a number of bytes"},
      {{"--pattern", "Ring"},
       "Ring: no such file (expected a file, or one of all-to-all, "},
      {{"--ranks-per-node", "0"}, "--ranks-per-node must be at least 1"},
      {{"--method", "rbc"}, "did you mean rcb?"},
      {{"--nodes", "n[1-3]"}, "4 ranks in the pattern, 3 slots on 3 nodes"},
      {{"--nodes", "n9"}, "n9"},
      {{"--nodes", ""}, "--nodes: the list is empty (expected at least one"},
      {{"--pattern", ""},
       "--pattern is empty (expected a file, or one of all-to-all, "},
      {{"--pattern", "ring", "--ranks-per-node", "5000000"},
       "--ranks-per-node: 5000000 on 4 nodes are 20000000 ranks (expected at "
       "most 1048576 in a pattern)"},
      {{"--time-limit", "0"}, "--time-limit: 0 is out of range"},
      {{"--job", "7"}, "either --machine and --nodes, or --job"},
      {{"--rankfile", "--hostfile"}, "--hostfile"},
  };
  for (const auto& [more, message] : cases) {
    std::vector<std::string> arguments = Arguments({});
    for (std::size_t i = 0; i + 1 < more.size(); i += 2) {
      for (std::size_t at = 1; at + 1 < arguments.size(); at += 2) {
        if (arguments[at] == more[i]) {
          arguments.erase(
              arguments.begin() + static_cast<std::ptrdiff_t>(at),
              arguments.begin() + static_cast<std::ptrdiff_t>(at) + 2);
          break;
        }
      }
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CliResult result = RunCli(arguments);
    EXPECT_EQ(result.exit, Exit::kBadInput) << message;
    EXPECT_TRUE(IsOneLine(result.err)) << result.err;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(MapTest, TakesGeneratedPatterns) {
  const std::string machine = WriteMesh("4, 4", "n[01-16]");
  const auto json =
      RunCli({"map", "--machine", machine, "--nodes", "n[01-16]", "--pattern",
              "stencil2d", "--ranks-per-node", "4", "--json"})
          .Json();
  EXPECT_EQ(json.at("ranks"), 64);
  EXPECT_LE(json.at("cost"), json.at("in_order_cost"));
}

TEST_F(MapTest, GenerateWritesWhatMapReads) {
  const CliResult generated = RunCli(
      {"generate", "--pattern", "ring", "--ranks", "4", "--bytes", "2.5"});
  EXPECT_EQ(generated.exit, Exit::kSuccess);
  EXPECT_THAT(generated.out, HasSubstr("ranks 4\nfrom to bytes\n0 1 2.5\n"));
  const std::string ring = WriteFile("ring.txt", generated.out);
  const auto json = RunCli({"map", "--machine", WriteMesh("2, 2", "n[1-4]"),
                            "--nodes", "n[1-4]", "--pattern", ring, "--json"})
                        .Json();
  EXPECT_EQ(json.at("cost"), 20);
  EXPECT_EQ(json.at("in_order_cost"), 30);
  EXPECT_THAT(RunCli({"generate", "--pattern", "rings", "--ranks", "4"}).err,
              HasSubstr("did you mean ring?"));
  EXPECT_EQ(RunCli({"generate", "--pattern", "ring"}).exit, Exit::kBadInput);
}

TEST_F(MapTest, AllocateMapsTheRanksToItsNodes) {
  const std::string machine = WriteMesh("4, 4", "n[01-16]");
  const std::string pattern = WriteFile("p.txt", "0 2 100\n1 3 10\n");
  const auto json = RunCli({"allocate", "--machine", machine, "--policy",
                            "first-fit", "--ordering", "row-major", "--nodes",
                            "4", "--pattern", pattern, "--json"})
                        .Json();
  EXPECT_EQ(json.at("rank_to_node").size(), 4U);
  EXPECT_EQ(json.at("cost"), 110);
  EXPECT_EQ(json.at("in_order_cost"), 220);
  EXPECT_EQ(json.at("metrics").at("comm_cost"), 110 / 4.0);
  const CliResult refused =
      RunCli({"allocate", "--machine", machine, "--policy", "first-fit",
              "--nodes", "3", "--pattern", pattern});
  EXPECT_EQ(refused.exit, Exit::kBadInput);
  EXPECT_THAT(refused.err, HasSubstr("4 ranks in the pattern"));
}

// Ranks 0 and 1 talk, the others do not: on a line with one free pair of
// neighbours, these two are there, wherever the others are.
TEST_F(MapTest, BqpWeighsItsLatencies) {
  const std::string machine = WriteMesh("9", "n[1-9]");
  const auto json =
      RunCli({"allocate", "--machine", machine, "--policy",
              "bqp:alpha=1:beta=0", "--nodes", "4", "--busy", "n[3,5,7,8]",
              "--pattern", WriteFile("p.txt", "ranks 4\n0 1 100\n"), "--json"})
          .Json();
  EXPECT_EQ(json.at("cost"), 100);
}

}  // namespace
}  // namespace coolspan
