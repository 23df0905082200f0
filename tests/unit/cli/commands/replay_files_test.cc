// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/replay_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "unit/cli/commands/replay_command_test.h"

namespace coolspan {
namespace {

using testing::HasSubstr;
using testing::Not;

class ReplayFilesTest : public ReplayCommandTest {
 protected:
  static std::string Read(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // The content of the script element of that id.
  static nlohmann::json Script(const std::string& page, const std::string& id) {
    const std::string open = "id=\"" + id + "\">";
    const std::size_t begin = page.find(open);
    EXPECT_NE(begin, std::string::npos);
    const std::size_t from = begin + open.size();
    return nlohmann::json::parse(
        page.substr(from, page.find("</script>", from) - from));
  }
};

TEST_F(ReplayFilesTest, SeriesOfEachRun) {
  const std::string path = folder_ / "series.csv";
  const CliResult result = Replay(
      {"--trace", trace_, "--policy", "first-fit,best-fit", "--series", path});
  EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  const std::string csv = Read(path);
  EXPECT_THAT(csv, testing::StartsWith("run,policy,ordering,"));
  // 0 to 150 s.
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 151);
  EXPECT_THAT(csv, HasSubstr("\n1,first-fit,hilbert,easy,0,2,8,0,2,1,8,0,0,"));
  EXPECT_THAT(csv, HasSubstr("\n2,best-fit,hilbert,easy,0,150,0,0,0,0,0,8,8,"));
}

TEST_F(ReplayFilesTest, TheReportHasTheJsonWithoutRealTimes) {
  const std::string path = folder_ / "report.html";
  auto json = Replay({"--trace", trace_, "--policy", "first-fit,best-fit",
                      "--seed", "1,2", "--report", path, "--json"})
                  .Json();
  const std::string page = Read(path);
  for (auto& run : json["runs"]) {
    run.erase("wall_s");
    run.erase("peak_rss_mb");
  }
  for (const char* name : {"decision_us_p50", "decision_us_p99",
                           "decision_us_max", "replay_jobs_per_s"}) {
    for (auto& run : json["runs"]) run["metrics"].erase(name);
    for (auto& group : json["groups"]) {
      group["metrics"].erase(name);
      if (group.contains("difference_to_first")) {
        group["difference_to_first"].erase(name);
      }
    }
  }
  EXPECT_EQ(Script(page, "replay-json"), json);
  const auto data = Script(page, "data-json");
  EXPECT_EQ(data.at("trace"), trace_);
  EXPECT_EQ(data.at("command_line"),
            "coolspan replay --machine " + machine_ + " --trace " + trace_ +
                " --policy first-fit,best-fit --seed 1,2 --report " + path +
                " --json");
  EXPECT_THAT(page, HasSubstr("Chart.js v3"));
  EXPECT_THAT(page, HasSubstr("Released under the MIT License"));
  EXPECT_THAT(page, Not(testing::ContainsRegex("(src|href)=\"http")));
}

TEST_F(ReplayFilesTest, TheCommandLineIsQuotedForAShell) {
  const std::string path = folder_ / "a report's.html";
  const CliResult result = ReplayTrace({"--report", path});
  EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  const std::string shown =
      Script(Read(path), "data-json").at("command_line").get<std::string>();
  EXPECT_THAT(shown,
              testing::EndsWith("--report '" + (folder_ / "a report").string() +
                                R"('\''s.html')"));
}

TEST_F(ReplayFilesTest, FilesThatCannotBeWrittenStopTheReplay) {
  for (const std::string option : {"--series", "--report"}) {
    EXPECT_EQ(RefusalOfTrace({option, "/nonexistent/file"}),
              "/nonexistent/file: cannot be written: No such file or "
              "directory\n");
  }
}

TEST_F(ReplayFilesTest, AReplayThatFailsLeavesNoFile) {
  const std::string report = folder_ / "report.html";
  const std::string series = folder_ / "series.csv";
  EXPECT_EQ(RefusalOfTrace({"--decisions", "/dev/full", "--report", report,
                            "--series", series}),
            "/dev/full: cannot be written: No space left on device\n");
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    const std::string name = entry.path().filename();
    EXPECT_FALSE(name.starts_with("report") || name.starts_with("series"))
        << name;
  }
}

TEST_F(ReplayFilesTest, SparklinesOnTerminalsWithBlocks) {
  const auto run = [this](bool blocks, unsigned columns) {
    return RunCli({"replay", "--machine", machine_, "--trace", trace_,
                   "--policy", "first-fit,best-fit"},
                  false, columns, blocks)
        .out;
  };
  // 6 of 8 nodes to 2 s, all to 11 s, 6 to 100 s, all to 150 s.
  EXPECT_THAT(run(true, 80),
              HasSubstr("\nnodes in use, first submit to last end, 0 to 100 %\n"
                        "first-fit  ▆"));
  EXPECT_THAT(run(true, 80), HasSubstr("\nqueued jobs, 0 to 1\nfirst-fit  "));
  EXPECT_THAT(run(true, 20), Not(HasSubstr("nodes in use")));
  EXPECT_THAT(run(false, 80), Not(HasSubstr("nodes in use")));
  EXPECT_THAT(run(false, 80), Not(HasSubstr("▆")));
}

}  // namespace
}  // namespace coolspan
