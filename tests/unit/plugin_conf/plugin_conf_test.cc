// SPDX-License-Identifier: GPL-3.0-or-later
#include "plugin_conf/plugin_conf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "folders.h"
#include "scratch_file.h"

namespace coolspan {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::span<const plugin_key_t> Keys() {
  std::size_t count = 0;
  const plugin_key_t* const keys = plugin_conf_keys(&count);
  return {keys, count};
}

std::vector<std::string> KeyNames() {
  std::vector<std::string> names;
  for (const plugin_key_t& key : Keys()) names.emplace_back(key.name);
  return names;
}

class Reading {
 public:
  explicit Reading(const std::string& path)
      : valid_(plugin_conf_read(path.c_str(), &conf_, problem_,
                                sizeof(problem_))) {}
  ~Reading() { plugin_conf_free(&conf_); }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  bool valid() const { return valid_; }
  std::string problem() const { return valid_ ? "" : problem_; }
  const plugin_conf_t& conf() const { return conf_; }

 private:
  plugin_conf_t conf_ = {};
  char problem_[PLUGIN_CONF_PROBLEM_SIZE] = "";
  bool valid_;
};

// The message for a file, without its path.
std::string ProblemOf(std::string_view text) {
  const ScratchFile file(text);
  const std::string problem = Reading(file.path()).problem();
  return problem.empty() ? problem : problem.substr(file.path().size());
}

TEST(PluginConfTest, KeysInAnyCaseWithBlanksAndComments) {
  const ScratchFile file(
      "# the daemon\n"
      "  ENDPOINTS = unix:///run/c.sock,ipv4:ctl2:7070  # two\r\n\n"
      "mode=Advise\nDeadlineMs=1000\nbreakerSeconds=1\nUnderlying=LINEAR\n"
      "LeavePartitions=debug,viz\nLeaveJobsBelowNodes=2\nLeaveGresJobs=YES\n"
      "LeaveSharedJobs=yes\nLeaveSubNodeJobs=no\nHonorWeight="
      "no\nHonorPowerSave=no\n"
      "NodePower=yes");
  const Reading reading(file.path());
  ASSERT_TRUE(reading.valid()) << reading.problem();
  const plugin_conf_t& conf = reading.conf();
  EXPECT_STREQ(conf.endpoints, "unix:///run/c.sock,ipv4:ctl2:7070");
  EXPECT_EQ(conf.mode, COOLSPAN_MODE_ADVISE);
  EXPECT_EQ(conf.deadline_ms, 1000U);
  EXPECT_EQ(conf.breaker_s, 1U);
  EXPECT_STREQ(conf.underlying, "linear");
  EXPECT_STREQ(conf.leave_partitions, "debug,viz");
  EXPECT_EQ(conf.leave_below_nodes, 2U);
  EXPECT_TRUE(conf.leave_gres_jobs);
  EXPECT_TRUE(conf.leave_shared_jobs);
  EXPECT_FALSE(conf.leave_sub_node_jobs);
  EXPECT_FALSE(conf.honor_weight);
  EXPECT_FALSE(conf.honor_power_save);
  EXPECT_EQ(conf.node_power, NODE_POWER_YES);
}

TEST(PluginConfTest, OnlyEndpointsIsRequired) {
  const ScratchFile file("Endpoints=unix:///c\n");
  const Reading reading(file.path());
  ASSERT_TRUE(reading.valid()) << reading.problem();
  const plugin_conf_t& conf = reading.conf();
  EXPECT_EQ(conf.mode, COOLSPAN_MODE_ENFORCE);
  EXPECT_EQ(conf.deadline_ms, 20U);
  EXPECT_EQ(conf.breaker_s, 30U);
  EXPECT_STREQ(conf.underlying, "cons_tres");
  EXPECT_EQ(conf.leave_partitions, nullptr);
  EXPECT_EQ(conf.leave_below_nodes, 0U);
  EXPECT_FALSE(conf.leave_gres_jobs);
  EXPECT_FALSE(conf.leave_shared_jobs);
  EXPECT_TRUE(conf.leave_sub_node_jobs);
  EXPECT_TRUE(conf.honor_weight);
  EXPECT_TRUE(conf.honor_power_save);
  EXPECT_EQ(conf.node_power, NODE_POWER_AUTO);
}

TEST(PluginConfTest, AnErrorHasItsLineAndWhatIsExpected) {
  const std::string endpoints = "Endpoints=unix:///c\n";
  const std::map<std::string, std::string> problems = {
      {"Mode=on\n",
       ":2: Mode: invalid value 'on' (expected enforce, advise or "
       "off)"},
      {"DeadlineMs=0\n",
       ":2: DeadlineMs: invalid value '0' (expected 1 to 1000 milliseconds)"},
      {"\nDeadlineMs=20ms\n",
       ":3: DeadlineMs: invalid value '20ms' (expected 1 to 1000 "
       "milliseconds)"},
      {"BreakerSeconds=-1\n",
       ":2: BreakerSeconds: invalid value '-1' (expected 1 to 3600 seconds)"},
      {"Underlying=cons_res\n",
       ":2: Underlying: invalid value 'cons_res' (expected cons_tres or "
       "linear)"},
      {"LeavePartitions=a, b\n",
       ":2: LeavePartitions: blank in 'a, b' (expected one key on a line; "
       "several partition names separated by commas)"},
      {"LeavePartitions=a,,b\n",
       ":2: LeavePartitions: invalid value 'a,,b' (expected partition names "
       "separated by commas without spaces)"},
      {"LeavePartitions=\n",
       ":2: LeavePartitions: invalid value '' (expected partition names "
       "separated by commas without spaces)"},
      {"Mode=advise DeadlineMs=5\n",
       ":2: Mode: blank in 'advise DeadlineMs=5' (expected one key on a "
       "line)"},
      {"LeaveGresJobs=1\n",
       ":2: LeaveGresJobs: invalid value '1' (expected yes or no)"},
      {"NodePower=on\n",
       ":2: NodePower: invalid value 'on' (expected auto, yes or no)"},
      {"DeadlineMs=\n",
       ":2: DeadlineMs: invalid value '' (expected 1 to 1000 milliseconds)"},
      {"Mode=\n",
       ":2: Mode: invalid value '' (expected enforce, advise or off)"},
      {"HonourWeight=no\n",
       ":2: unknown key 'HonourWeight'; did you mean HonorWeight?"},
      {"endpoint=unix:///c\n",
       ":2: unknown key 'endpoint'; did you mean Endpoints?"},
      {"MODE=off\nmode=off\n", ":3: Mode: specified more than once"},
      {"Mode off\n", ":2: 'Mode off' is not a setting (expected Key=Value)"}};
  for (const auto& [text, problem] : problems) {
    EXPECT_EQ(ProblemOf(endpoints + text), problem);
  }
  EXPECT_THAT(ProblemOf(endpoints + "Colour=off\n"),
              StartsWith(":2: unknown key 'Colour' (expected one of Endpoints, "
                         "Mode, "));
  EXPECT_THAT(ProblemOf("Endpoints=unix://c\n"),
              StartsWith(":1: Endpoints: invalid value 'unix://c' (expected "
                         "unix:///PATH or ipv4:HOST:PORT;"));
  EXPECT_EQ(ProblemOf("Mode=off\n"),
            ":1: Endpoints is missing (expected Endpoints=unix:///PATH or "
            "Endpoints=ipv4:HOST:PORT)");
  EXPECT_THAT(ProblemOf(""), StartsWith(":1: Endpoints is missing"));
  EXPECT_EQ(ProblemOf("Endpoints=unix:///a Mode=advise\n"),
            ":1: Endpoints: blank in 'unix:///a Mode=advise' (expected one key "
            "on a line; several endpoints separated by commas)");
}

TEST(PluginConfTest, TlsNeedsAllItsFiles) {
  const std::string endpoints = "Endpoints=ipv4:ctl:7110\n";
  const std::string files = "TlsCert=/c\nTlsKey=/k\n";
  EXPECT_EQ(ProblemOf(endpoints + files + "TlsCa=/a\n"), "");
  EXPECT_EQ(ProblemOf(endpoints + files),
            ":3: TlsCa is missing (expected TlsCert, TlsKey and TlsCa, or none "
            "of them)");
  EXPECT_EQ(ProblemOf(endpoints + "TlsCa=/a\n"),
            ":2: TlsCert is missing (expected TlsCert, TlsKey and TlsCa, or "
            "none of them)");
  EXPECT_EQ(ProblemOf(endpoints + "TlsCert=c\n"),
            ":2: TlsCert: invalid value 'c' (expected an absolute path of a "
            "PEM file)");
}

TEST(PluginConfTest, AFileThatIsNotText) {
  for (const std::string& text :
       {std::string("\xFF\xFE"), std::string("\xFE\xFF\0E", 4),
        std::string("Mode=off\0\n", 10)}) {
    EXPECT_EQ(ProblemOf(text),
              ":1: not a text file (expected Key=Value lines in UTF-8)");
  }
  const ScratchFile file(
      "\xEF\xBB\xBF"
      "Endpoints=unix:///c\n");
  const Reading reading(file.path());
  EXPECT_EQ(reading.problem(),
            file.path() +
                ":1: starts with a byte order mark (expected UTF-8 without "
                "one)");
  EXPECT_STREQ(reading.conf().endpoints, "unix:///c");
}

TEST(PluginConfTest, TheLinesOfKeys) {
  const ScratchFile file("# the daemon\nEndpoints=unix:///c\n\nmode=off\n");
  const Reading reading(file.path());
  EXPECT_EQ(plugin_conf_line(&reading.conf(), "Endpoints"), 2);
  EXPECT_EQ(plugin_conf_line(&reading.conf(), "Mode"), 4);
  EXPECT_EQ(plugin_conf_line(&reading.conf(), "NodePower"), 0);
}

TEST(PluginConfTest, TheFirstErrorIsReportedAndTheOtherSettingsAreValid) {
  const ScratchFile file("Mode=on\nColour=red\nEndpoints=unix:///c\n");
  const Reading reading(file.path());
  EXPECT_THAT(reading.problem(), StartsWith(file.path() + ":1: Mode: "));
  EXPECT_STREQ(reading.conf().endpoints, "unix:///c");
  EXPECT_EQ(reading.conf().mode, COOLSPAN_MODE_ENFORCE);
}

TEST(PluginConfTest, AFileThatCannotBeRead) {
  EXPECT_THAT(Reading("/nonexistent/coolspan.conf").problem(),
              StartsWith("/nonexistent/coolspan.conf: No such file or "
                         "directory (expected a file with at least "));
  const ScratchFile file("");
  EXPECT_EQ(Reading(file.path() + "/coolspan.conf").problem(),
            file.path() +
                "/coolspan.conf: Not a directory (expected a file that can be "
                "read)");
  EXPECT_EQ(Reading("/").problem(), "/:1: read error");
}

TEST(PluginConfTest, LongTextsAreTruncated) {
  const std::string problem = ProblemOf(std::string(100'000, 'k') + "=1\n");
  EXPECT_THAT(problem, HasSubstr("unknown key 'kkk"));
  EXPECT_THAT(problem, HasSubstr("NodePower)"));
}

// The keys of the lines after ".TP" in the section KEYS.
std::vector<std::string> KeysOfManPage() {
  static const std::regex kKey(R"(\.B[IR] ([A-Za-z]+)= .*)");
  std::ifstream page(SourceDir() / "docs/man/coolspan.conf.5");
  std::vector<std::string> keys;
  bool in_keys = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with(".SH ")) in_keys = line == ".SH KEYS";
    std::smatch match;
    if (in_keys && std::regex_match(line, match, kKey)) {
      keys.push_back(match[1]);
    }
  }
  return keys;
}

TEST(PluginConfDocumentsTest, TheManPageHasEveryKey) {
  EXPECT_EQ(KeysOfManPage(), KeyNames());
}

TEST(PluginConfDocumentsTest, TheGuideHasEveryKeyAndItsDefault) {
  static const std::regex kRow(
      R"(\| `([A-Z][A-Za-z]+)` \|[^|]*\| `?([a-z0-9_]+)`? \|.*)");
  std::map<std::string, std::string> documented;
  std::ifstream guide(SourceDir() / "docs/slurm-plugin.md");
  bool in_section = false;
  for (std::string line; std::getline(guide, line);) {
    if (line.starts_with("## ")) in_section = line == "## coolspan.conf";
    std::smatch row;
    if (in_section && std::regex_match(line, row, kRow)) {
      documented[row[1]] = row[2];
    }
  }
  std::map<std::string, std::string> expected;
  for (const plugin_key_t& key : Keys()) {
    const std::string fallback =
        key.fallback == nullptr ? "required" : key.fallback;
    expected[key.name] = fallback.empty() ? "none" : fallback;
  }
  EXPECT_EQ(documented, expected);
}

TEST(PluginConfDocumentsTest, TheExampleIsValidAlsoWithItsComments) {
  const std::string example = SourceDir() / "config/coolspan.conf";
  EXPECT_EQ(Reading(example).problem(), "");
  static const std::regex kSetting("#[A-Z][A-Za-z]+=.*");
  std::ifstream in(example);
  std::string all;
  for (std::string line; std::getline(in, line);) {
    all += (std::regex_match(line, kSetting) ? line.substr(1) : line) + "\n";
  }
  EXPECT_EQ(ProblemOf(all), "");
}

}  // namespace
}  // namespace coolspan
