// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_CLI_COMMANDS_REPLAY_COMMAND_TEST_H_
#define COOLSPAN_TESTS_UNIT_CLI_COMMANDS_REPLAY_COMMAND_TEST_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/cli/cli_runner.h"

namespace coolspan {

// submit, run, processors
inline std::string SwfLine(int number, int submit, int run, int processors) {
  return std::to_string(number) + " " + std::to_string(submit) + " -1 " +
         std::to_string(run) + " " + std::to_string(processors) +
         " -1 -1 -1 -1 -1 1 1 1 1 1 -1 -1 -1\n";
}

class ReplayCommandTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    machine_ = WriteMesh("4, 2", "n[1-8]");
    // The second waits for the first; the third is backfilled.
    trace_ =
        WriteFile("trace.swf", "; UnixStartTime: 0\n" + SwfLine(1, 0, 100, 6) +
                                   SwfLine(2, 1, 50, 8) + SwfLine(3, 2, 9, 2) +
                                   SwfLine(4, 3, 0, 2) + SwfLine(5, 4, 9, 0) +
                                   SwfLine(6, 5, 9, 9));
  }
  CliResult Replay(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"replay", "--machine", machine_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunCli(arguments);
  }
  CliResult ReplayTrace(std::vector<std::string> more) {
    more.insert(more.begin(), {"--trace", trace_, "--policy", "first-fit"});
    return Replay(more);
  }
  // The message of bad input.
  std::string Refusal(std::vector<std::string> more) {
    const CliResult result = Replay(more);
    EXPECT_EQ(result.exit, Exit::kBadInput);
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(IsOneLine(result.err)) << result.err;
    return result.err;
  }
  std::string RefusalOfTrace(std::vector<std::string> more) {
    more.insert(more.begin(), {"--trace", trace_, "--policy", "first-fit"});
    return Refusal(more);
  }

  std::string machine_;
  std::string trace_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_CLI_COMMANDS_REPLAY_COMMAND_TEST_H_
