// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_CLI_CLI_RUNNER_H_
#define COOLSPAN_TESTS_UNIT_CLI_CLI_RUNNER_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace coolspan {

struct CliResult {
  Exit exit;
  std::string out;
  std::string err;

  // Error: parse_error, which fails the test.
  nlohmann::json Json() const { return nlohmann::json::parse(out); }
};

// Runs coolspan in this process and captures its output.
inline CliResult RunCli(std::vector<std::string> arguments, bool colour = false,
                        unsigned columns = 80, bool blocks = false) {
  arguments.insert(arguments.begin(), "coolspan");
  std::vector<const char*> argv;
  for (const std::string& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  std::ostringstream out;
  std::ostringstream err;
  const Exit exit =
      CommandLine().Run(static_cast<int>(argv.size()), argv.data(),
                        {.out = out,
                         .err = err,
                         .colour = colour,
                         .columns = columns,
                         .blocks = blocks});
  return {exit, out.str(), err.str()};
}

// Messages are one line.
inline bool IsOneLine(const std::string& text) {
  return !text.empty() && text.find('\n') == text.size() - 1;
}

// A temporary directory for the files of one test.
class CliTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("coolspan-") + info->test_suite_name() + "-" +
               info->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string WriteFile(const std::string& name, const std::string& text) {
    const std::string path = folder_ / name;
    std::ofstream(path) << text;
    return path;
  }
  // A mesh without wraps; nodes n01, n02, ... in row-major order.
  std::string WriteMesh(const std::string& dims, const std::string& nodes) {
    return WriteFile("machine.yaml",
                     "name: test\ntopology: {kind: mesh, dims: [" + dims +
                         "]}\nnodes: \"" + nodes + "\"\n");
  }

  std::filesystem::path folder_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_CLI_CLI_RUNNER_H_
