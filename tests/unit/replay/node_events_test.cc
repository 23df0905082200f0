// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/input/node_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "mesh_machine.h"
#include "replay/ports/in_process_port.h"
#include "replay/replay.h"
#include "room_machine.h"
#include "scratch_file.h"
#include "unit/replay/simulated_runs.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using State = NodeEvent::State;

absl::StatusOr<std::vector<NodeEvent>> Read(const std::string& lines) {
  const ScratchFile file(lines);
  return ReadNodeEvents(file.path(), *MeshMachine(FlatGrid({8})));
}

std::string ErrorOf(const std::string& line) {
  const auto events = Read("time_s,state,nodes\n" + line + "\n");
  EXPECT_TRUE(absl::IsInvalidArgument(events.status())) << line;
  return std::string(events.status().message());
}

TEST(NodeEventsTest, ReadsEventsByTime) {
  const auto events = Read(
      "time_s,state,nodes\n# the first switch\n20.5,drain,\"n[3-4],n6\"\n"
      "-3,down,n2\n20.5,resume, n3 \n");
  ASSERT_TRUE(events.ok()) << events.status();
  ASSERT_EQ(events->size(), 3U);
  EXPECT_EQ((*events)[0].at_ms, -3000);
  EXPECT_EQ((*events)[0].state, State::kDown);
  EXPECT_EQ((*events)[1].at_ms, 20'500);
  EXPECT_EQ((*events)[1].state, State::kDrain);
  EXPECT_EQ((*events)[1].nodes.size(), 3U);
  EXPECT_EQ((*events)[2].state, State::kResume);
  EXPECT_EQ((*events)[2].nodes, std::vector<NodeId>{(*events)[1].nodes[0]});
}

TEST(NodeEventsTest, ErrorsNameThePlaceAndWhatIsExpected) {
  EXPECT_THAT(std::string(Read("0,down,n1\n").status().message()),
              HasSubstr("expected time_s,state,nodes"));
  EXPECT_THAT(std::string(Read("").status().message()),
              HasSubstr("expected time_s,state,nodes"));
  EXPECT_THAT(ErrorOf("0,down"), HasSubstr(":2:1: too few fields"));
  EXPECT_THAT(ErrorOf("soon,down,n1"),
              HasSubstr(":2:1: time 'soon' is not valid (expected seconds"));
  EXPECT_THAT(ErrorOf("nan,down,n1"), HasSubstr("time 'nan'"));
  EXPECT_THAT(ErrorOf("1e13,down,n1"), HasSubstr("time '1e13'"));
  EXPECT_THAT(ErrorOf("5,off,n1"),
              HasSubstr(":2:3: state 'off' is not valid (expected down, drain "
                        "or resume)"));
  EXPECT_THAT(ErrorOf("5,down,n99"), HasSubstr(":2:8: "));
  EXPECT_THAT(ErrorOf("5,down,n99"), HasSubstr("n99"));
  EXPECT_THAT(ErrorOf("5,down,"), HasSubstr("no nodes"));
  EXPECT_THAT(ErrorOf("5,down,n[1"), HasSubstr(":2:8: "));
}

// A line of four nodes with first-fit; a change of nodes at 10 s is one of n1.
class NodeEventsReplayTest : public testing::Test {
 protected:
  NodeEventsReplayTest() {
    setup_.machine = MeshMachine(FlatGrid({4}));
    setup_.open_port = InProcessPorts(setup_.machine, {});
    setup_.decisions_path = decisions_.path();
  }
  void Change(TimeMs time_s, State state, NodeId node) {
    setup_.node_events.push_back(
        {.at_ms = time_s * 1000, .state = state, .nodes = {node}});
  }
  void Add(TimeMs submit_s, TimeMs run_s, NodeCount nodes) {
    workload_.jobs.push_back(Job(submit_s, run_s, nodes));
    workload_.jobs.back().number =
        static_cast<std::int64_t>(workload_.jobs.size());
  }
  absl::StatusOr<std::vector<RunReport>> Replayed(
      const std::string& scheduler) {
    std::atomic<std::uint64_t> started = 0;
    setup_.runs = EveryRun(
        {.policies = {"first-fit"},
         .orderings = {MakeOrdering(*setup_.machine, "row-major").value()},
         .schedulers = {SchedulerChoice::Create(scheduler).value()}});
    return Replay(setup_, OneWorkload(workload_), started);
  }
  // "job start nodes" of each start.
  std::vector<std::string> Starts() const {
    std::istringstream lines(decisions_.Read());
    std::vector<std::string> starts;
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      std::istringstream cells(line);
      std::map<int, std::string> cell;
      for (int i = 0; i < 10; ++i) std::getline(cells, cell[i], ',');
      starts.push_back(cell[1] + " " + cell[3] + " " + cell[9]);
    }
    return starts;
  }

  const ScratchFile decisions_;
  ReplaySetup setup_;
  Workload workload_;
};

TEST_F(NodeEventsReplayTest, AFailedNodeEndsItsJobWhichStartsAgain) {
  Add(0, 100, 4);
  Change(50, State::kDown, 1);
  Change(80, State::kResume, 1);
  for (const char* scheduler : {"fcfs", "easy", "conservative"}) {
    const auto reports = Replayed(scheduler);
    ASSERT_TRUE(reports.ok()) << reports.status();
    EXPECT_THAT(Starts(), ElementsAre("1 0 n[0-3]", "1 80 n[0-3]"));
    const auto& metrics = reports->front().metrics;
    EXPECT_EQ(ValueOf(metrics, "requeues"), 1);
    EXPECT_EQ(ValueOf(metrics, "lost_node_s"), 200);
    EXPECT_EQ(ValueOf(metrics, "makespan_s"), 180);
    EXPECT_DOUBLE_EQ(*ValueOf(metrics, "utilization"), 600.0 / (4 * 180));
  }
}

TEST_F(NodeEventsReplayTest, ADrainingNodeKeepsItsJobAndGetsNoOther) {
  Add(0, 100, 2);
  Add(20, 50, 2);
  Add(30, 10, 2);
  Add(31, 10, 2);
  Change(10, State::kDrain, 0);
  Change(200, State::kDrain, 0);  // once more: no effect
  Change(300, State::kResume, 0);
  Change(300, State::kResume, 2);  // was never away
  for (const char* scheduler : {"fcfs", "easy", "conservative"}) {
    const auto reports = Replayed(scheduler);
    ASSERT_TRUE(reports.ok()) << reports.status();
    EXPECT_THAT(Starts(), ElementsAre("1 0 n[0-1]", "2 20 n[2-3]",
                                      "3 70 n[2-3]", "4 80 n[2-3]"))
        << scheduler;
    EXPECT_EQ(ValueOf(reports->front().metrics, "requeues"), 0);
  }
}

// A node in use counts as used until its job ends.
TEST_F(NodeEventsReplayTest, SeriesHaveTheUnavailableNodes) {
  Add(0, 100, 2);
  Add(150, 10, 2);
  Change(10, State::kDrain, 0);
  Change(20, State::kDown, 3);
  Change(50, State::kResume, 3);
  setup_.recording = {.series = true, .shape = true};
  const auto reports = Replayed("fcfs");
  ASSERT_TRUE(reports.ok()) << reports.status();
  const RunSeries& series = reports->front().series;
  const auto at = [&series](TimeMs time_s) {
    const auto i = static_cast<std::size_t>((time_s * 1000 - series.begin_ms) /
                                            series.interval_ms);
    const SeriesSample& sample = series.samples.at(i);
    return std::tuple(sample.used_nodes, sample.unavailable_nodes,
                      sample.free.largest_interval);
  };
  EXPECT_EQ(at(5), std::tuple(2, 0, 2));
  EXPECT_EQ(at(15), std::tuple(2, 0, 2));
  EXPECT_EQ(at(30), std::tuple(2, 1, 1));
  EXPECT_EQ(at(60), std::tuple(2, 0, 2));
  EXPECT_EQ(at(120), std::tuple(0, 1, 3));
  EXPECT_EQ(at(155), std::tuple(2, 1, 1));
}

TEST_F(NodeEventsReplayTest, ALargeJobWaitsForTheNodesAndOthersDoNot) {
  Add(0, 10, 1);
  Add(1, 10, 4);
  Add(2, 10, 3);
  Change(5, State::kDown, 3);
  Change(100, State::kResume, 3);
  for (const char* scheduler : {"easy", "conservative"}) {
    ASSERT_TRUE(Replayed(scheduler).ok());
    EXPECT_THAT(Starts(), ElementsAre("1 0 n0", "3 10 n[0-2]", "2 100 n[0-3]"))
        << scheduler;
  }
  ASSERT_TRUE(Replayed("fcfs").ok());
  EXPECT_THAT(Starts(), ElementsAre("1 0 n0", "2 100 n[0-3]", "3 110 n[0-2]"));
}

TEST_F(NodeEventsReplayTest, NodesThatNeverReturnCanMakeAJobImpossible) {
  Add(0, 10, 4);
  Change(0, State::kDown, 2);
  for (const char* scheduler : {"fcfs", "easy", "conservative", "cplant"}) {
    const auto reports = Replayed(scheduler);
    EXPECT_TRUE(absl::IsFailedPrecondition(reports.status())) << scheduler;
    EXPECT_THAT(std::string(reports.status().message()),
                HasSubstr("job 1 of 4 nodes cannot be placed with 1 node "
                          "unavailable"));
  }
}

// From the decisions alone: what runs on a node when, beside when the node was
// available.
TEST_F(NodeEventsReplayTest, NoJobStartsOrStaysOnAnUnavailableNode) {
  std::mt19937 random(5);
  // Some schedulers need a room.
  setup_.machine = InSomeRoom(MeshMachine(FlatGrid({16})), 16, 1);
  setup_.open_port = InProcessPorts(setup_.machine, {});
  TimeMs now_s = 0;
  for (int i = 0; i < 400; ++i) {
    now_s += static_cast<TimeMs>(random() % 20);
    Add(now_s, 1 + static_cast<TimeMs>(random() % 60),
        1 + static_cast<NodeCount>(random() % 12));
  }
  std::vector<TimeMs> down_until_s(16, -1);
  std::map<NodeId, std::vector<std::pair<TimeMs, TimeMs>>> down;
  for (TimeMs time_s = 5; time_s < now_s;
       time_s += 1 + static_cast<TimeMs>(random() % 80)) {
    const auto node = static_cast<NodeId>(random() % 16);
    if (down_until_s[node] >= time_s) continue;
    down_until_s[node] = time_s + 1 + static_cast<TimeMs>(random() % 100);
    down[node].emplace_back(time_s, down_until_s[node]);
    Change(time_s, State::kDown, node);
    Change(down_until_s[node], State::kResume, node);
  }
  std::stable_sort(
      setup_.node_events.begin(), setup_.node_events.end(),
      [](const NodeEvent& a, const NodeEvent& b) { return a.at_ms < b.at_ms; });
  for (const SchedulerEntry& scheduler : SchedulerTable()) {
    const auto reports = Replayed(std::string(scheduler.name));
    ASSERT_TRUE(reports.ok()) << reports.status();
    EXPECT_GT(*ValueOf(reports->front().metrics, "requeues"), 5);
    std::map<std::int64_t, int> whole_runs;
    std::istringstream lines(decisions_.Read());
    std::string line;
    std::getline(lines, line);
    std::vector<TimeMs> busy_until_s(16, 0);
    int starts = 0;
    while (std::getline(lines, line)) {
      ++starts;
      std::istringstream cells(line);
      std::vector<std::string> cell(9);
      for (std::string& text : cell) std::getline(cells, text, ',');
      std::string list;
      std::getline(cells, list);
      list = list.front() == '"' ? list.substr(1, list.find('"', 1) - 1)
                                 : list.substr(0, list.find(','));
      const TimeMs start_s = std::stoll(cell[3]);
      TimeMs end_s = std::stoll(cell[4]);
      const auto nodes = setup_.machine->ParseNodes(list).value().Members();
      for (const NodeId node : nodes) {
        for (const auto& [begin_s, until_s] : down[node]) {
          EXPECT_FALSE(begin_s <= start_s && start_s < until_s) << line;
          if (start_s < begin_s && begin_s < end_s) end_s = begin_s;
        }
      }
      for (const NodeId node : nodes) {
        EXPECT_LE(busy_until_s[node], start_s) << line;
        busy_until_s[node] = end_s;
      }
      if (end_s == std::stoll(cell[4])) ++whole_runs[std::stoll(cell[1])];
    }
    EXPECT_EQ(whole_runs.size(), 400U) << scheduler.name;
    EXPECT_EQ(starts - 400, *ValueOf(reports->front().metrics, "requeues"));
  }
}

}  // namespace
}  // namespace coolspan
