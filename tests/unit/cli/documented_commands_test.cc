// SPDX-License-Identifier: GPL-3.0-or-later
// The documentation names no subcommand that does not exist.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

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

TEST(Documents, NameExistingSubcommands) {
  std::set<std::string> known;
  for (const SubcommandEntry& entry : SubcommandTable()) {
    known.emplace(entry.name);
  }
  std::set<std::string> all_named;
  for (const std::filesystem::path& document : Documents()) {
    for (const std::string& name : NamedSubcommands(document)) {
      EXPECT_TRUE(known.contains(name)) << document << ": coolspan " << name;
      all_named.insert(name);
    }
  }
  EXPECT_EQ(all_named, known) << "every subcommand is documented";
}

}  // namespace
}  // namespace coolspan
