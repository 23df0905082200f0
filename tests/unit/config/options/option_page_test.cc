// SPDX-License-Identifier: GPL-3.0-or-later
// The option parts of the manual pages are those generated from the tables.
#include "config/options/option_page.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "config/daemon_file.h"
#include "config/machine/machine_options.h"
#include "folders.h"

namespace coolspan {
namespace {

// The option part of a manual page, between its two marks. Writes the generated
// part to PAGE.options in the build directory, to update the page from.
std::string OptionPartOf(const std::string& page,
                         const std::string& from_table) {
  std::ofstream(BinaryDir() / (page + ".options")) << from_table;
  std::ifstream in(SourceDir() / "docs/man" / page);
  const std::string text{std::istreambuf_iterator<char>(in),
                         std::istreambuf_iterator<char>()};
  const std::string begin = ".\\\" options: from the table\n";
  const std::string end = ".\\\" end of options\n";
  const std::size_t first = text.find(begin);
  const std::size_t last = text.find(end);
  if (first == std::string::npos || last == std::string::npos)
    return "no marks";
  return text.substr(first + begin.size(), last - first - begin.size());
}

TEST(OptionPageTest, DaemonFile) {
  const std::string part = OptionPage(DaemonOptionTable());
  EXPECT_EQ(OptionPartOf("coolspand.yaml.5", part), part);
}

// The section RELOAD lists them after ".TP" and ".TQ".
TEST(OptionPageTest, OptionsThatNeedARestartAreListed) {
  std::set<std::string> expected;
  for (const auto& option : DaemonOptionTable()) {
    const std::string_view name = option.spec.name;
    if (option.spec.reloadable) continue;
    expected.emplace(name.substr(0, name.find_first_of(".[")));
  }
  std::ifstream in(SourceDir() / "docs/man/coolspand.yaml.5");
  std::set<std::string> listed;
  bool is_reload = false;
  std::string before;
  for (std::string line; std::getline(in, line); before = line) {
    if (line.rfind(".SH ", 0) == 0) is_reload = line == ".SH RELOAD";
    if (is_reload && (before == ".TP" || before == ".TQ")) {
      listed.insert(line.substr(3));
    }
  }
  EXPECT_EQ(listed, expected);
}

TEST(OptionPageTest, MachineFile) {
  const std::string part = OptionPage(MachineOptionTable());
  EXPECT_EQ(OptionPartOf("coolspan-machine.5", part), part);
}

TEST(OptionPageTest, EveryOptionIsDescribed) {
  const auto check = [](const OptionSpec& option) {
    EXPECT_FALSE(option.description.empty()) << option.name;
    EXPECT_EQ(option.description.back(), '.') << option.name;
  };
  for (const auto& option : DaemonOptionTable()) check(option.spec);
  for (const auto& option : MachineOptionTable()) check(option.spec);
}

}  // namespace
}  // namespace coolspan
