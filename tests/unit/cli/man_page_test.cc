// SPDX-License-Identifier: GPL-3.0-or-later
// coolspan.1 has a section for each subcommand, with all its options and no
// others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "cli/command_line.h"
#include "folders.h"

namespace coolspan {
namespace {

using Options = std::set<std::string>;

std::string WithoutEscapes(std::string text) {
  for (std::size_t at = 0; (at = text.find("\\-", at)) != std::string::npos;) {
    text.erase(at, 1);
  }
  return text;
}

// Options of each ".SS" section, from the lines after ".TP".
std::map<std::string, Options> DocumentedOptions() {
  static const std::regex kOption(
      R"(^\.(?:BI|B|I|BR) ?("?)(--[a-z-]+|[A-Z]+)\b.*)");
  std::ifstream page(SourceDir() / "docs/man/coolspan.1");
  std::map<std::string, Options> documented;
  std::string section;
  bool after_tp = false;
  for (std::string line; std::getline(page, line);) {
    line = WithoutEscapes(line);
    if (line.rfind(".SH ", 0) == 0) section.clear();
    if (line.rfind(".SS ", 0) == 0) {
      section = line.substr(4);
      documented[section];
    }
    std::smatch match;
    if (after_tp && !section.empty() &&
        std::regex_match(line, match, kOption)) {
      documented[section].insert(match[2]);
    }
    after_tp = line == ".TP";
  }
  return documented;
}

Options OptionsOf(const CLI::App& subcommand) {
  Options options;
  for (const CLI::Option* option : subcommand.get_options()) {
    const std::string name = option->get_name();
    if (name != "--json" && name != "--help") options.insert(name);
  }
  return options;
}

TEST(ManPage, HasEverySubcommandWithItsOptions) {
  // coolspan-replay.1 is a page of its own.
  const std::set<std::string> elsewhere = {"replay"};
  const CommandLine command_line;
  const auto documented = DocumentedOptions();
  const Options& of_endpoints = documented.at("Endpoints");
  EXPECT_FALSE(of_endpoints.empty());
  for (const CLI::App* subcommand : command_line.app().get_subcommands(
           [](const CLI::App*) { return true; })) {
    const std::string name = subcommand->get_name();
    if (elsewhere.contains(name)) continue;
    ASSERT_TRUE(documented.contains(name)) << name;
    Options expected = documented.at(name);
    if (expected.contains("--endpoint"))
      expected.insert(of_endpoints.begin(), of_endpoints.end());
    EXPECT_EQ(expected, OptionsOf(*subcommand)) << name;
  }
}

TEST(ManPage, HasNoUnknownSubcommand) {
  const std::set<std::string> not_subcommands = {"Lists of nodes", "Endpoints"};
  std::set<std::string> known;
  for (const SubcommandEntry& entry : SubcommandTable()) {
    known.emplace(entry.name);
  }
  for (const auto& [section, options] : DocumentedOptions()) {
    EXPECT_TRUE(known.contains(section) || not_subcommands.contains(section))
        << section;
  }
}

}  // namespace
}  // namespace coolspan
