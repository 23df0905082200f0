// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "unit/cli/commands/replay_command_test.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

class ReplayComparisonsTest : public ReplayCommandTest {
 protected:
  static std::string Read(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(ReplayComparisonsTest, SummaryHasALineForEachRun) {
  const std::string path = folder_ / "summary.csv";
  const CliResult result =
      Replay({"--trace", trace_, "--policy", "first-fit,ptas", "--sweep",
              "epsilon=0.5:1:2", "--seed", "1,2", "--summary", path, "--json"});
  ASSERT_EQ(result.exit, Exit::kSuccess) << result.err;
  std::istringstream lines(Read(path));
  std::string line;
  std::getline(lines, line);
  EXPECT_THAT(
      line, testing::StartsWith("situation,policy,ordering,scheduler,seed,jobs,"
                                "pairwise_total,pairwise_total_max,"));
  const auto columns = std::count(line.begin(), line.end(), ',');
  std::size_t i = 0;
  const auto json = result.Json();
  for (const auto& run : json.at("runs")) {
    ASSERT_TRUE(std::getline(lines, line)) << i;
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), columns);
    EXPECT_THAT(
        line,
        testing::StartsWith(fmt::format(
            ",{},hilbert,easy,{},3,{}", run.at("policy").get<std::string>(),
            run.at("seed").get<int>(),
            run.at("metrics").at("pairwise_total").get<double>())));
    ++i;
  }
  EXPECT_EQ(i, 6U);  // two seeds of first-fit and of ptas with two epsilons
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_F(ReplayComparisonsTest, AHyphenWritesTheCsvToStandardOutput) {
  for (const std::string option : {"--decisions", "--summary", "--series"}) {
    const std::string path = folder_ / "file.csv";
    ASSERT_EQ(
        Replay({"--trace", trace_, "--policy", "best-fit", option, path}).exit,
        Exit::kSuccess);
    testing::internal::CaptureStdout();
    const CliResult result =
        Replay({"--trace", trace_, "--policy", "best-fit", option, "-"});
    const std::string written = testing::internal::GetCapturedStdout();
    EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(written.substr(0, written.find('\n')),
              Read(path).substr(0, written.find('\n')));
    EXPECT_GT(std::count(written.begin(), written.end(), '\n'), 1) << option;
  }
  const CliResult both = Replay(
      {"--trace", trace_, "--policy", "best-fit", "--summary", "-", "--json"});
  EXPECT_EQ(both.exit, Exit::kBadInput);
  EXPECT_THAT(both.err, HasSubstr("only one of --decisions"));
}

TEST_F(ReplayComparisonsTest, ParetoFrontAndCheckpoint) {
  const std::string path = folder_ / "checkpoint";
  const std::vector<std::string> arguments = {
      "--trace",          trace_,     "--policy",
      "first-fit,random", "--pareto", "pairwise_mean,components",
      "--checkpoint",     path};
  const CliResult text = Replay(arguments);
  ASSERT_EQ(text.exit, Exit::kSuccess) << text.err;
  EXPECT_THAT(text.out, testing::ContainsRegex("Pareto front: [12] of 2 runs"));
  auto as_json = arguments;
  as_json.emplace_back("--json");
  const CliResult again = Replay(as_json);
  EXPECT_THAT(again.Json().at("pareto").at("metrics"),
              testing::ElementsAre("pairwise_mean", "components"));
  EXPECT_GE(again.Json().at("pareto").at("front").size(), 1U);
  // All runs are from the checkpoint, real times included.
  EXPECT_EQ(again.out, Replay(as_json).out);

  // What counts is the content of the files.
  const std::string moved = folder_ / "moved.swf";
  std::filesystem::copy_file(trace_, moved);
  auto renamed = as_json;
  std::replace(renamed.begin(), renamed.end(), trace_, moved);
  EXPECT_EQ(Replay(renamed).out, again.out);
  const std::string events =
      WriteFile("events.csv", "time_s,state,nodes\n0,drain,1\n");
  auto other = arguments;
  other.insert(other.end(), {"--node-events", events});
  EXPECT_THAT(Replay(other).err, HasSubstr("the checkpoint of another replay"));
  other = arguments;
  other.insert(other.end(), {"--max-jobs", "2"});
  EXPECT_THAT(Replay(other).err, HasSubstr("the checkpoint of another replay"));
  other = arguments;
  other.insert(other.end(), {"--decisions", folder_ / "decisions.csv"});
  EXPECT_THAT(Replay(other).err, HasSubstr("--checkpoint: not allowed with"));
  const CliResult unknown = Replay(
      {"--trace", trace_, "--policy", "best-fit", "--pareto", "pairwise"});
  EXPECT_EQ(unknown.exit, Exit::kBadInput);
  EXPECT_THAT(unknown.err, HasSubstr("--pareto: unknown metric 'pairwise'"));
  EXPECT_EQ(unknown.out, "");  // said before the replay
}

}  // namespace
}  // namespace coolspan
