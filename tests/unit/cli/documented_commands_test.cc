// SPDX-License-Identifier: GPL-3.0-or-later
// The documentation names no subcommand that does not exist.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/subcommand.h"
#include "folders.h"

namespace coolspan {
namespace {

std::vector<std::filesystem::path> Documents() {
  std::vector<std::filesystem::path> documents = {SourceDir() / "README.md"};
  for (const char* folder : {"docs", "docs/adr", "docs/man"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(SourceDir() / folder)) {
      const std::string kind = entry.path().extension();
      if (kind == ".md" || kind == ".1" || kind == ".5" || kind == ".8") {
        documents.push_back(entry.path());
      }
    }
  }
  return documents;
}

// The words after "coolspan". A line may end between the two, except in manual
// pages, where "\-" is a hyphen.
std::set<std::string> NamedSubcommands(const std::filesystem::path& document) {
  std::ifstream file(document);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  text = std::regex_replace(text, std::regex(R"(\\-)"), "-");
  static const std::regex kInText(
      R"((?:^|[^-/._=A-Za-z])coolspan\s+([a-z][a-z-]*))");
  static const std::regex kInManPage(
      R"((?:^|[^-/._=A-Za-z])coolspan +([a-z][a-z-]*))");
  const std::regex& command =
      document.extension() == ".md" ? kInText : kInManPage;
  std::set<std::string> named;
  for (std::sregex_iterator match(text.begin(), text.end(), command), end;
       match != end; ++match) {
    named.insert((*match)[1]);
  }
  return named;
}

std::set<std::string> Subcommands() {
  std::set<std::string> names;
  for (const SubcommandEntry& entry : SubcommandTable()) {
    names.emplace(entry.name);
  }
  return names;
}

TEST(Documents, NameExistingSubcommands) {
  const std::set<std::string> known = Subcommands();
  std::set<std::string> all_named;
  for (const std::filesystem::path& document : Documents()) {
    for (const std::string& name : NamedSubcommands(document)) {
      EXPECT_TRUE(known.contains(name)) << document << ": coolspan " << name;
      all_named.insert(name);
    }
  }
  EXPECT_EQ(all_named, known) << "every subcommand is documented";
}

// "coolspan COMMAND ... --option": up to the end of the command, which may
// continue on the next line.
TEST(Documents, NameExistingOptions) {
  static const std::regex kContinued(R"(\\\n\s*)");
  static const std::regex kCommand(
      R"((?:^|[^-/._=A-Za-z])coolspan +([a-z][a-z-]*)([^\n`|;&]*))");
  static const std::regex kOption(R"((?:^|[\s\[(])(--[a-z][-a-z]*))");
  const CommandLine command_line;
  const std::set<std::string> known = Subcommands();
  std::size_t checked = 0;
  for (const std::filesystem::path& document : Documents()) {
    if (document.extension() != ".md") continue;
    std::ifstream file(document);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    text = std::regex_replace(text, kContinued, " ");
    for (std::sregex_iterator match(text.begin(), text.end(), kCommand), end;
         match != end; ++match) {
      const std::string name = (*match)[1];
      if (!known.contains(name)) continue;
      const CLI::App& command = *command_line.app().get_subcommand(name);
      const std::string rest = (*match)[2];
      for (std::sregex_iterator option(rest.begin(), rest.end(), kOption);
           option != end; ++option) {
        ++checked;
        EXPECT_NE(command.get_option_no_throw((*option)[1]), nullptr)
            << document << ": coolspan " << name << " " << (*option)[1];
      }
    }
  }
  EXPECT_GT(checked, 20U);
}

}  // namespace
}  // namespace coolspan
