// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/replay_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "mesh_machine.h"
#include "replay/ports/in_process_port.h"
#include "replay/replay.h"
#include "unit/replay/simulated_runs.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ReplayPageTest : public testing::Test {
 protected:
  ReplayPageTest() {
    setup_.machine = MeshMachine(FlatGrid({8, 8}));
    lists_.orderings = {MakeOrdering(*setup_.machine, "hilbert").value()};
    lists_.policies = {"first-fit", "random"};
    setup_.open_port = InProcessPorts(setup_.machine, {});
  }
  std::string Page(std::vector<WorkloadJob> jobs) {
    setup_.runs = EveryRun(lists_);
    setup_.recording = RecordingForPage(setup_);
    Workload workload;
    workload.jobs = std::move(jobs);
    std::atomic<std::uint64_t> started = 0;
    const auto reports =
        Replay(setup_, OneWorkload(std::move(workload)), started);
    EXPECT_TRUE(reports.ok()) << reports.status();
    return ReplayPage(setup_, *reports, inputs_);
  }
  static nlohmann::json DataOf(const std::string& page) {
    const std::string open = "id=\"data-json\">";
    const std::size_t from = page.find(open) + open.size();
    return nlohmann::json::parse(
        page.substr(from, page.find("</script>", from) - from));
  }

  ReplaySetup setup_;
  RunLists lists_;
  PageInputs inputs_ = {.version = "1",
                        .command_line = "coolspan replay",
                        .trace = "t.swf",
                        .replay_json = "{}"};
};

TEST_F(ReplayPageTest, PicturesTheFirstSeedsOfTheFirstGroups) {
  lists_.seeds = {3, 1, 2};
  lists_.schedulers = {*SchedulerChoice::Create("easy"),
                       *SchedulerChoice::Create("fcfs")};
  setup_.runs = EveryRun(lists_);
  EXPECT_THAT(RecordingForPage(setup_).pictured, ElementsAre(0, 3, 6, 9));
  lists_.policies = {"first-fit", "best-fit", "free-list", "mm", "mc1x1"};
  setup_.runs = EveryRun(lists_);
  EXPECT_EQ(RecordingForPage(setup_).pictured.size(), kMaxPicturedRuns);
}

TEST_F(ReplayPageTest, DataOfTheRuns) {
  WorkloadJob job = Job(100, 5, 3);
  job.number = 7;
  const auto data = DataOf(Page({job}));
  EXPECT_EQ(data.at("machine").at("nodes"), 64);
  EXPECT_EQ(data.at("machine").at("names").size(), 64U);
  EXPECT_EQ(data.at("machine").at("grid").at("dims"), nlohmann::json({8, 8}));
  EXPECT_EQ(data.at("machine").at("vertices"), nlohmann::json({64, 1}));
  EXPECT_EQ(data.at("machine").at("room"), nullptr);
  ASSERT_EQ(data.at("runs").size(), 2U);
  const auto& run = data.at("runs")[0];
  EXPECT_EQ(run.at("policy"), "first-fit");
  EXPECT_EQ(run.at("series").at("begin_s"), 100);
  EXPECT_EQ(run.at("series").at("interval_s"), 1);
  EXPECT_EQ(run.at("series").at("used"), nlohmann::json({3, 3, 3, 3, 3, 0}));
  EXPECT_EQ(run.at("picture").at("bars"),
            nlohmann::json::parse("[[7, 0, 5, 3, 0, 3]]"));
  EXPECT_EQ(run.at("picture").at("frames").size(), 6U);
  EXPECT_EQ(run.at("wait_percentiles_s").size(), 101U);
}

TEST_F(ReplayPageTest, TextCannotLeaveItsElement) {
  inputs_.command_line = "</script><b>{{script}}";
  inputs_.replay_json = R"({"policy":"</script><b>"})";
  setup_.machine =
      Machine::Create("<b>&", {"n0"}, MakeMesh(FlatGrid({1})).value()).value();
  lists_.orderings = {MakeOrdering(*setup_.machine, "row-major").value()};
  setup_.open_port = InProcessPorts(setup_.machine, {});
  const std::string page = Page({Job(0, 1, 1)});
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, HasSubstr("<title>Replay on &lt;b&gt;&amp;</title>"));
  EXPECT_EQ(DataOf(page).at("command_line"), "</script><b>{{script}}");
}

TEST_F(ReplayPageTest, ForbidsTheNetwork) {
  const std::string page = Page({Job(0, 1, 1)});
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* part : {"{{style}}", "{{chart}}", "{{script}}"}) {
    EXPECT_THAT(page, Not(HasSubstr(part)));
  }
}

// Twice the jobs do not make it larger, once its bounds are reached.
TEST_F(ReplayPageTest, TheSizeIsBounded) {
  lists_.policies = {"random"};
  const auto size = [this](TimeMs count) {
    std::vector<WorkloadJob> jobs;
    for (TimeMs i = 0; i < count; ++i) {
      jobs.push_back(Job(3 * i, 40, 1 + static_cast<NodeCount>(i % 8)));
      jobs.back().number = i;
    }
    return Page(std::move(jobs)).size();
  };
  const std::size_t once = size(8'000);
  EXPECT_LT(once, 1'500'000U);
  EXPECT_LT(size(16'000), once + once / 20);
}

TEST_F(ReplayPageTest, EqualReplaysGiveEqualBytes) {
  std::vector<WorkloadJob> jobs;
  for (TimeMs i = 0; i < 100; ++i) {
    jobs.push_back(Job(i, 9, 1 + static_cast<NodeCount>(i % 5)));
  }
  EXPECT_EQ(Page(jobs), Page(jobs));
}

}  // namespace
}  // namespace coolspan
