// SPDX-License-Identifier: GPL-3.0-or-later
#include "documents/option_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "policy/table.h"

namespace coolspan {
namespace {

const CLI::App& Subcommand(const CommandLine& line, const std::string& name) {
  return *line.app().get_subcommand(name);
}

OptionValues Of(const std::string& subcommand, const std::string& option) {
  const CommandLine line;
  const CLI::App& app = Subcommand(line, subcommand);
  return ValuesOf(app, *app.get_option(option));
}

// Policies evaluated beside --policy, whose help has their names.
bool IsNamedElsewhere(const std::string& option) {
  return option == "--situation" || option == "--decision";
}

// Of one subcommand at least: order --scheduler refers to replay's.
TEST(OptionValues, AreNamedInTheHelpOfTheirOption) {
  const CommandLine line;
  std::map<std::string, std::string> help;
  std::map<std::string, std::set<std::string>> words_of_options;
  for (const CLI::App* const app :
       line.app().get_subcommands([](const CLI::App*) { return true; })) {
    for (const CLI::Option* const option : app->get_options()) {
      const std::string name = option->get_name();
      help[name] += option->get_description() + option->get_type_name();
      for (const std::string& word : ValuesOf(*app, *option).words)
        words_of_options[name].insert(word);
    }
  }
  for (const auto& [name, words] : words_of_options) {
    if (IsNamedElsewhere(name)) continue;
    for (const std::string& word : words)
      EXPECT_THAT(help.at(name), testing::HasSubstr(word)) << name;
  }
  for (const char* const name :
       {"--policy", "--ordering", "--scheduler", "--estimates", "--model",
        "--runtime-model", "--method", "--pattern", "--span", "--zero-run",
        "--deadline-by", "--node-types-by", "--comm-cost", "--routes", "MODE",
        "ACTION"}) {
    EXPECT_GE(words_of_options[name].size(), 2U) << name;
  }
}

TEST(OptionValues, OfPoliciesAreTheTable) {
  std::vector<std::string> names;
  for (const PolicyEntry& entry : PolicyTable()) names.emplace_back(entry.name);
  EXPECT_EQ(Of("allocate", "--policy").words, names);
  EXPECT_FALSE(Of("allocate", "--policy").is_list);
  names.emplace_back("recorded");
  EXPECT_EQ(Of("replay", "--policy").words, names);
  EXPECT_TRUE(Of("replay", "--policy").is_list);
}

TEST(OptionValues, TakeFilesAndFolders) {
  EXPECT_TRUE(Of("replay", "--machine").takes_files);
  EXPECT_TRUE(Of("replay", "--report").takes_files);
  EXPECT_TRUE(Of("check-config", "FILE").takes_files);
  EXPECT_TRUE(Of("generate", "--out").takes_folders);
  EXPECT_FALSE(Of("generate", "--out").takes_files);
  EXPECT_FALSE(Of("allocate", "--nodes").takes_files);
  EXPECT_TRUE(Of("allocate", "--nodes").words.empty());
}

}  // namespace
}  // namespace coolspan
