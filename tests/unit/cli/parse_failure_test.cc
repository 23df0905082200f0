// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/parse_failure.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

namespace coolspan {
namespace {

// The message of an app without subcommands, as coolspand is.
std::string MessageFor(std::vector<std::string> arguments) {
  CLI::App app("", "coolspand");
  std::string config;
  bool check = false;
  app.add_option("--config", config)->type_name("FILE");
  app.add_flag("--check-config", check);
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return ParseFailure(app, error);
  }
  return "";
}

TEST(ParseFailureTest, WithoutSubcommands) {
  EXPECT_EQ(MessageFor({"--config", "c.yaml"}), "");
  EXPECT_EQ(MessageFor({"--confg", "c.yaml"}),
            "coolspand: unknown option '--confg'; did you mean '--config'? "
            "(see coolspand --help)");
  EXPECT_EQ(MessageFor({"c.yaml"}),
            "coolspand: unexpected argument 'c.yaml' (expected an option) (see "
            "coolspand --help)");
  EXPECT_EQ(MessageFor({"--config"}),
            "coolspand: --config: value missing (expected a file) (see "
            "coolspand --help)");
  EXPECT_EQ(MessageFor({"--config", "a", "--config", "b"}),
            "coolspand: --config: specified more than once (see coolspand "
            "--help)");
}

}  // namespace
}  // namespace coolspan
