// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/generate_workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <streambuf>
#include <string>
#include <vector>

#include "unit/cli/cli_runner.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

TEST(GenerateWorkloadTest, PrintsALogThatSaysHow) {
  const CliResult result = RunCli({"generate", "--model", "bqp", "--jobs", "40",
                                   "--nodes", "40", "--seed", "7"});
  EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 46);
  EXPECT_THAT(result.out, HasSubstr("; Note: made up by coolspan generate "
                                    "--model bqp --jobs 40 --nodes 40 --seed "
                                    "7\n"));
}

TEST(GenerateWorkloadTest, JsonHasTheJobs) {
  const auto json = RunCli({"generate", "--model", "lublin99", "--jobs", "3",
                            "--nodes", "16", "--json"})
                        .Json();
  EXPECT_EQ(json.at("model"), "lublin99");
  EXPECT_EQ(json.at("seed"), 0);
  ASSERT_EQ(json.at("jobs").size(), 3U);
  EXPECT_GT(json.at("jobs")[0].at("run_s"), 0);
}

// Keeps nothing but how long the longest piece was that it got.
class Pieces : public std::streambuf {
 public:
  std::streamsize longest() const { return longest_; }

 private:
  std::streamsize xsputn(const char*, std::streamsize size) override {
    longest_ = std::max(longest_, size);
    return size;
  }
  int_type overflow(int_type c) override { return c; }

  std::streamsize longest_ = 0;
};

// A log is longer than any piece of it that is in memory.
TEST(GenerateWorkloadTest, LogsAreWrittenInPieces) {
  for (const bool json : {false, true}) {
    Pieces pieces;
    std::ostream out(&pieces);
    const auto exit =
        GenerateWorkload({.model = "bqp", .jobs = 20'000, .nodes = 8}, 1,
                         {.out = out, .err = out, .json = json});
    ASSERT_TRUE(exit.ok()) << exit.status();
    EXPECT_GT(pieces.longest(), 0);
    EXPECT_LT(pieces.longest(), 100'000);
  }
}

TEST(GenerateWorkloadTest, BadRequestsAreRefusedInWords) {
  const auto refusal = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "generate");
    const CliResult result = RunCli(arguments);
    EXPECT_EQ(result.exit, Exit::kBadInput);
    EXPECT_TRUE(IsOneLine(result.err)) << result.err;
    return result.err;
  };
  EXPECT_THAT(refusal({"--model", "bpq", "--jobs", "1", "--nodes", "1"}),
              HasSubstr("did you mean 'bqp'?"));
  EXPECT_THAT(refusal({"--model", "bqp", "--nodes", "1"}),
              HasSubstr("--jobs: none; want a whole number from 1"));
  EXPECT_THAT(refusal({"--model", "bqp", "--jobs", "1"}),
              HasSubstr("--nodes: none; want a whole number from 1"));
  EXPECT_THAT(
      refusal({"--model", "bqp", "--jobs", "200000000", "--nodes", "1"}),
      HasSubstr("--jobs: 200000000; want a whole number"));
  EXPECT_THAT(refusal({}), HasSubstr("want one of --model and --room"));
  EXPECT_THAT(refusal({"--model", "bqp", "--room"}),
              HasSubstr("want one of --model and --room"));
  for (const std::string option : {"--jobs", "--nodes"}) {
    EXPECT_THAT(refusal({"--room", "--out", "unused", option, "5"}),
                HasSubstr(option + " requires --model"));
  }
}

}  // namespace
}  // namespace coolspan
