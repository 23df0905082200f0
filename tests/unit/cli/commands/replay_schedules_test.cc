// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules by hand, through the program: nodes that fail and drain, estimates
// by user, and what schedulers leave out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "unit/cli/commands/replay_command_test.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Of a log line; estimate and user -1: unknown.
struct LogJob {
  int submit_s;
  int run_s;
  int nodes;
  int estimate_s = -1;
  int user = 1;
};
using Starts = std::vector<std::pair<int, int>>;  // job, start in seconds

class ReplaySchedulesTest : public ReplayCommandTest {
 protected:
  void SetUp() override {
    ReplayCommandTest::SetUp();
    decisions_ = WriteFile("decisions.csv", "");
  }
  void WriteLog(const std::vector<LogJob>& jobs) {
    std::ostringstream log;
    int number = 0;
    for (const LogJob& job : jobs) {
      log << ++number << ' ' << job.submit_s << " -1 " << job.run_s << ' '
          << job.nodes << " -1 -1 " << job.nodes << ' ' << job.estimate_s
          << " -1 1 " << job.user << " 1 -1 -1 -1 -1 -1\n";
    }
    log_ = WriteFile("log.swf", log.str());
  }
  CliResult Run(const std::string& scheduler,
                std::vector<std::string> more = {}) {
    more.insert(more.begin(),
                {"--trace", log_, "--policy", "free-list", "--scheduler",
                 scheduler, "--decisions", decisions_, "--json"});
    CliResult result = Replay(more);
    EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
    return result;
  }
  Starts StartsOf(const std::string& scheduler,
                  const std::vector<std::string>& more = {}) {
    Run(scheduler, more);
    std::ifstream file(decisions_);
    std::string line;
    std::getline(file, line);
    Starts starts;
    while (std::getline(file, line)) {
      std::istringstream fields(line);
      std::vector<std::string> values;
      for (std::string value; std::getline(fields, value, ',');) {
        values.push_back(value);
      }
      starts.emplace_back(std::stoi(values.at(1)), std::stoi(values.at(3)));
    }
    return starts;
  }

  std::string log_;
  std::string decisions_;
};

TEST_F(ReplaySchedulesTest, DrainedNodesOfRunningJobsAreNotExpectedBack) {
  WriteLog({{0, 100, 4, 100}, {20, 100, 8, 100}, {60, 50, 2, 50}});
  const std::string events =
      WriteFile("drain.csv",
                "time_s,state,nodes\n10,drain,n[1-4]\n10000,resume,n[1-4]\n");
  for (const char* const scheduler : {"easy", "conservative"}) {
    EXPECT_THAT(
        StartsOf(scheduler, {"--node-events", events}),
        ElementsAre(std::pair(1, 0), std::pair(3, 60), std::pair(2, 10000)))
        << scheduler;
  }
}

TEST_F(ReplaySchedulesTest, NodesThatReturnUnderARunningJobAreExpectedBack) {
  WriteLog({{0, 100, 4, 100}, {20, 100, 8, 100}, {60, 50, 2, 50}});
  const std::string events = WriteFile(
      "drain.csv", "time_s,state,nodes\n10,drain,n[1-4]\n30,resume,n[1-4]\n");
  for (const char* const scheduler : {"easy", "conservative"}) {
    // 60 + 50 is after 100, when job 2 is expected to start.
    EXPECT_THAT(
        StartsOf(scheduler, {"--node-events", events}),
        ElementsAre(std::pair(1, 0), std::pair(2, 100), std::pair(3, 200)))
        << scheduler;
  }
}

TEST_F(ReplaySchedulesTest, JobsThatANodeEndedStartAgainInOrderOfArrival) {
  WriteLog({{0, 100, 8}, {10, 100, 8}, {20, 100, 8}});
  const std::string events =
      WriteFile("fail.csv", "time_s,state,nodes\n50,down,n1\n50,resume,n1\n");
  for (const char* const scheduler : {"fcfs", "easy", "conservative"}) {
    EXPECT_THAT(StartsOf(scheduler, {"--node-events", events}),
                ElementsAre(std::pair(1, 0), std::pair(1, 50),
                            std::pair(2, 150), std::pair(3, 250)))
        << scheduler;
  }
}

TEST_F(ReplaySchedulesTest, TimesAreOfTheStartsThatEndByThemselves) {
  WriteLog({{0, 100, 8}, {10, 100, 8}, {20, 100, 8}});
  const std::string events =
      WriteFile("fail.csv", "time_s,state,nodes\n50,down,n1\n50,resume,n1\n");
  const auto metrics = [&](const std::string& warm_up) {
    return Run("fcfs", {"--node-events", events, "--warm-up", warm_up})
        .Json()
        .at("runs")
        .at(0)
        .at("metrics");
  };
  const auto all = metrics("0");
  EXPECT_EQ(all.at("mean_runtime_s"), 100);
  EXPECT_EQ(all.at("mean_wait_s"), 140);  // 50, 140, 230
  EXPECT_EQ(all.at("mean_turnaround_s"), 240);
  EXPECT_NEAR(all.at("throughput_jobs_per_h"), 3 * 3600.0 / 350, 1e-9);
  EXPECT_EQ(all.at("wait_s_p50"), 140);
  EXPECT_EQ(all.at("bounded_slowdown_max"), 3.3);
  EXPECT_NEAR(all.at("mean_bounded_slowdown"), 2.4, 1e-9);
  EXPECT_EQ(all.at("requeues"), 1);
  EXPECT_EQ(all.at("lost_node_s"), 400);
  EXPECT_EQ(metrics("5").at("lost_node_s"), 360);
  EXPECT_EQ(metrics("60").at("requeues"), 0);
}

TEST_F(ReplaySchedulesTest, AfterTheMeanOfItsUserAJobHasTheEstimateOfTheTrace) {
  // Job 2 exceeds the mean of user 7, 10 s, at 2010; then it is expected to
  // end at 2100, so that job 4 fits in front of job 3.
  WriteLog({{0, 10, 1, 100, 7},
            {2000, 100, 6, 100, 7},
            {2015, 100, 8, 100, 9},
            {2020, 50, 2, 50, 9}});
  for (const char* const scheduler : {"easy", "conservative"}) {
    EXPECT_THAT(StartsOf(scheduler, {"--estimates", "user-mean"}),
                ElementsAre(std::pair(1, 0), std::pair(2, 2000),
                            std::pair(4, 2020), std::pair(3, 2100)))
        << scheduler;
  }
}

TEST_F(ReplaySchedulesTest, UnknownUsersAreNotOneUser) {
  WriteLog({{0, 10, 1, 10, -1},
            {2000, 100, 6, 100, 8},
            {2010, 500, 8, 500, 8},
            {2020, 500, 2, 500, -1}});
  EXPECT_THAT(StartsOf("easy", {"--estimates", "user-mean"}),
              ElementsAre(std::pair(1, 0), std::pair(2, 2000),
                          std::pair(3, 2100), std::pair(4, 2600)));
}

TEST_F(ReplaySchedulesTest, RunTimesDoNotLimitTheMeanOfAUser) {
  // The log has no estimates; the mean of user 7 is 1,000 s.
  WriteLog({{0, 1000, 1, -1, 7},
            {2000, 100, 6, -1, 8},
            {2010, 500, 8, -1, 9},
            {2020, 50, 2, -1, 7}});
  EXPECT_THAT(StartsOf("easy", {"--estimates", "user-mean"}),
              ElementsAre(std::pair(1, 0), std::pair(2, 2000),
                          std::pair(3, 2100), std::pair(4, 2600)));
}

TEST_F(ReplaySchedulesTest, JobsBeyondTheDepthAreNoted) {
  WriteLog({{0, 100, 8}, {10, 100, 8}, {20, 100, 8}, {30, 100, 8}});
  EXPECT_THAT(Run("conservative:depth=1").err,
              HasSubstr("note: free-list: 2 jobs at a time waited without a "
                        "reservation"));
  EXPECT_THAT(Run("conservative").err, Not(HasSubstr("reservation")));
}

TEST_F(ReplaySchedulesTest, PollsWithoutAChangeCostNothing) {
  // Two thousand million polls.
  WriteLog({{0, 2'000'000'000, 8}, {1, 100, 8}});
  EXPECT_THAT(StartsOf("cplant:poll=1"),
              ElementsAre(std::pair(1, 0), std::pair(2, 2'000'000'000)));
}

TEST_F(ReplayCommandTest, JobsAskForSegmentsInBlocks) {
  WriteFile("topology.conf",
            "BlockName=a Nodes=n[1-4]\nBlockName=b Nodes=n[5-8]\n");
  machine_ = WriteFile(
      "blocks.yaml",
      "name: x\ntopology: {kind: blocks, slurm_topology: topology.conf}\n");
  trace_ =
      WriteFile("segments.swf", SwfLine(1, 0, 100, 1) + SwfLine(2, 1, 50, 4) +
                                    SwfLine(3, 2, 50, 3));
  const auto decisions = [this](std::vector<std::string> more) {
    const std::string path = folder_ / "decisions.csv";
    more.insert(more.end(), {"--decisions", path, "--ordering", "row-major"});
    EXPECT_EQ(ReplayTrace(std::move(more)).exit, Exit::kSuccess);
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_THAT(decisions({}), HasSubstr(",n[2-5]"));
  EXPECT_THAT(decisions({"--segment-nodes", "2"}), HasSubstr(",\"n[2-3,5-6]"));
  EXPECT_THAT(decisions({"--segment-nodes", "job"}), HasSubstr(",n[5-8]"));
  const CliResult rounded = ReplayTrace({"--segment-nodes", "2", "--json"});
  EXPECT_EQ(rounded.Json().at("trace").at("rounded_to_segments"), 1);
  EXPECT_THAT(rounded.err,
              HasSubstr("note: 1 job rounded up to whole segments"));
  EXPECT_FALSE(ReplayTrace({"--json"})
                   .Json()
                   .at("trace")
                   .contains("rounded_to_segments"));
  const CliResult large = ReplayTrace({"--segment-nodes", "3", "--json"});
  EXPECT_EQ(large.Json().at("trace").at("jobs"), 3);
  trace_ = WriteFile("large.swf", SwfLine(1, 0, 100, 7));
  EXPECT_THAT(ReplayTrace({"--segment-nodes", "3"}).err,
              HasSubstr("note: skipped 1 job that does not fit as segments"));
}

}  // namespace
}  // namespace coolspan
