// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/time_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "mesh_machine.h"
#include "network_machines.h"
#include "replay/output/series_csv.h"
#include "replay/ports/in_process_port.h"
#include "replay/replay.h"
#include "room_machine.h"
#include "scratch_file.h"
#include "unit/replay/simulated_runs.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Replays first-fit along a row of eight nodes.
class TimeSeriesTest : public testing::Test {
 protected:
  TimeSeriesTest() {
    setup_.machine = MeshMachine(FlatGrid({8}));
    setup_.recording = {.series = true, .shape = true};
  }
  std::vector<RunReport> RunJobs(std::vector<WorkloadJob> jobs) {
    setup_.open_port = InProcessPorts(setup_.machine, {});
    setup_.runs = {
        {.policy = "first-fit",
         .ordering = MakeOrdering(*setup_.machine, "row-major").value()}};
    Workload workload;
    workload.jobs = std::move(jobs);
    std::atomic<std::uint64_t> started = 0;
    return Replay(setup_, OneWorkload(std::move(workload)), started).value();
  }
  RunReport RunOne(std::vector<WorkloadJob> jobs) {
    return RunJobs(std::move(jobs)).front();
  }
  static double ValueOf(const RunReport& report, const std::string& name) {
    for (const NamedValue& metric : report.metrics) {
      if (metric.name == name) return metric.value.value();
    }
    ADD_FAILURE() << name;
    return 0;
  }

  ReplaySetup setup_;
  // On 0-1 to 2 s and on 2-3 to 6 s.
  const std::vector<WorkloadJob> two_ = {Job(0, 2, 2), Job(0, 6, 2)};
};

// The second job waits for the first; the third is backfilled beside it.
TEST_F(TimeSeriesTest, CountsAfterTheEventsOfAnInstant) {
  const RunSeries series =
      RunOne({Job(10, 4, 6), Job(11, 3, 4), Job(12, 1, 2)}).series;
  EXPECT_EQ(series.begin_ms, 10'000);
  EXPECT_EQ(series.interval_ms, 1'000);
  std::vector<std::vector<std::uint64_t>> rows;
  for (const SeriesSample& s : series.samples) {
    rows.push_back({s.used_nodes, s.running_jobs, s.queued_jobs, s.queued_nodes,
                    s.free.largest_interval, s.free.shape->largest_component,
                    *s.free.largest_box});
    EXPECT_EQ(s.unavailable_nodes, 0U);
    EXPECT_FALSE(s.room.has_value());
  }
  EXPECT_THAT(
      rows,
      ElementsAre(
          ElementsAre(6, 1, 0, 0, 2, 2, 2), ElementsAre(6, 1, 1, 4, 2, 2, 2),
          ElementsAre(8, 2, 1, 4, 0, 0, 0), ElementsAre(6, 1, 1, 4, 2, 2, 2),
          ElementsAre(4, 1, 0, 0, 4, 4, 4), ElementsAre(4, 1, 0, 0, 4, 4, 4),
          ElementsAre(4, 1, 0, 0, 4, 4, 4), ElementsAre(0, 0, 0, 0, 8, 8, 8)));
}

TEST_F(TimeSeriesTest, MeansOfFragmentation) {
  const RunReport report = RunOne(two_);
  ASSERT_EQ(report.series.samples.size(), 7U);
  // Free: 4-7; from 2 s on also 0-1; at 6 s all.
  EXPECT_THAT(report.series.samples[2].free.intervals, ElementsAre(0, 1, 1));
  EXPECT_THAT(report.series.samples[2].free.shape->blocks,
              ElementsAre(0, 1, 1, 0));
  EXPECT_DOUBLE_EQ(ValueOf(report, "free_intervals"), 11 / 7.0);
  EXPECT_DOUBLE_EQ(ValueOf(report, "largest_free_interval"), 32 / 7.0);
  EXPECT_DOUBLE_EQ(ValueOf(report, "largest_free_box"), 32 / 7.0);
  EXPECT_DOUBLE_EQ(ValueOf(report, "interval_fragmentation"), 4 / 21.0);
}

TEST_F(TimeSeriesTest, MeansOfIdleSwitches) {
  // Four leaf switches of two nodes, in pairs.
  setup_.machine = MachineOn(
      MakeFatTree({{4, 4, 5, 5, 6, 6, 6}, {2, 2, 2, 2, 0, 0, 0}}).value());
  const RunReport report = RunOne(two_);
  // Idle: 2 leaves and a pair; from 2 s on 3 leaves; at 6 s all.
  EXPECT_DOUBLE_EQ(ValueOf(report, "idle_switches_0"),
                   (2 * 2 + 4 * 3 + 4) / 7.0);
  EXPECT_DOUBLE_EQ(ValueOf(report, "idle_switches_1"), (6 * 1 + 2) / 7.0);
  EXPECT_DOUBLE_EQ(ValueOf(report, "largest_switch_0"), 2);
  EXPECT_DOUBLE_EQ(ValueOf(report, "largest_switch_1"), 4);
}

TEST_F(TimeSeriesTest, MeansNeedNoRecording) {
  setup_.recording = {};
  const RunReport report = RunOne(two_);
  EXPECT_DOUBLE_EQ(ValueOf(report, "interval_fragmentation"), 4 / 21.0);
  EXPECT_TRUE(report.series.samples.empty());
  EXPECT_EQ(report.picture, nullptr);
}

TEST_F(TimeSeriesTest, WithoutJobsThereIsNothing) {
  const RunReport report = RunOne({});
  EXPECT_TRUE(report.series.samples.empty());
  EXPECT_TRUE(report.wait_percentiles_s.empty());
  for (const NamedValue& metric : report.metrics) {
    if (metric.name == "interval_fragmentation") {
      EXPECT_EQ(metric.value, std::nullopt);
    }
  }
}

TEST_F(TimeSeriesTest, TheRoomFollowsTheJobs) {
  setup_.machine = InRoom(*setup_.machine, RoomDescription(8, 1, {0.01}));
  setup_.runtime.communication_share = 0;
  const RunSeries series = RunOne(two_).series;
  // 100 W for each node and 200 W more for those in use; 0.01 K/W.
  const auto expect = [&](std::size_t i, double it_w) {
    const SeriesSample::RoomState& room = *series.samples[i].room;
    EXPECT_DOUBLE_EQ(room.it_w, it_w);
    EXPECT_NEAR(room.peak_inlet_c, 15 + 0.01 * it_w, 1e-9);
    const double supply_c = 30 - 0.01 * it_w;
    EXPECT_NEAR(
        room.cooling_w,
        it_w / (0.0068 * supply_c * supply_c + 0.0008 * supply_c + 0.458),
        1e-6);
  };
  expect(0, 1600);
  expect(1, 1600);
  expect(2, 1200);
  expect(5, 1200);
  expect(6, 800);
}

TEST_F(TimeSeriesTest, LongRunsHaveABoundedNumberOfSamples) {
  std::vector<WorkloadJob> jobs;
  for (TimeMs i = 0; i < 3'000; ++i) {
    jobs.push_back(Job(7 * i, 20, 1 + static_cast<NodeCount>(i % 3)));
  }
  jobs.push_back(Job(21'000, 400'000, 1));
  const RunSeries series = RunOne(jobs).series;
  EXPECT_GT(series.samples.size(), TimeSeries::kMaxSamples / 2);
  EXPECT_LE(series.samples.size(), TimeSeries::kMaxSamples);
  EXPECT_EQ(series.interval_ms, 512'000);
  // The last job alone.
  EXPECT_EQ(series.samples[60].used_nodes, 1U);
  EXPECT_EQ(RunOne(jobs).series.samples, series.samples);
}

TEST_F(TimeSeriesTest, PercentilesOfWaits) {
  // Each waits for those before: 0, 10, 20, 30 s.
  const RunReport report =
      RunOne({Job(0, 10, 8), Job(0, 10, 8), Job(0, 10, 8), Job(0, 10, 8)});
  ASSERT_EQ(report.wait_percentiles_s.size(), 101U);
  EXPECT_EQ(report.wait_percentiles_s[0], 0);
  EXPECT_EQ(report.wait_percentiles_s[50], 10);
  EXPECT_EQ(report.wait_percentiles_s[51], 20);
  EXPECT_EQ(report.wait_percentiles_s[100], 30);
}

TEST_F(TimeSeriesTest, AsCsv) {
  setup_.machine = InRoom(*setup_.machine, RoomDescription(8, 1, {1.0 / 128}));
  setup_.runtime.communication_share = 0;
  const ScratchFile file;
  auto csv = ReplacedFile::Create(file.path()).value();
  ASSERT_TRUE(WriteSeries(*setup_.machine, RunJobs(two_), *csv).ok());
  EXPECT_THAT(
      file.Read(),
      HasSubstr(
          "run,policy,ordering,scheduler,seed,time_s,used_nodes,"
          "unavailable_nodes,running_jobs,queued_jobs,queued_nodes,"
          "largest_interval,largest_component,free_intervals_1,"
          "free_intervals_2,free_intervals_4,free_intervals_8,largest_box,"
          "free_blocks_1,free_blocks_2,free_blocks_4,free_blocks_8,"
          "peak_inlet_c,it_w,cooling_w\n"
          "1,first-fit,row-major,easy,0,0,4,0,2,0,0,4,4,0,0,1,0,4,0,0,1,0,27.5,"
          "1600,"));
  EXPECT_THAT(file.Read(),
              HasSubstr("\n1,first-fit,row-major,easy,0,2,2,0,1,0,0,4,4,0,1,1,"
                        "0,4,0,1,1,0,24.375,1200,"));
}

TEST_F(TimeSeriesTest, CsvHasOnlyTheColumnsThatApply) {
  const ScratchFile file;
  auto csv = ReplacedFile::Create(file.path()).value();
  const auto network = FatTreeMachine();
  ASSERT_TRUE(WriteSeries(*network, {}, *csv).ok());
  EXPECT_EQ(file.Read(),
            "run,policy,ordering,scheduler,seed,time_s,used_nodes,"
            "unavailable_nodes,running_jobs,queued_jobs,queued_nodes,"
            "largest_interval,largest_component,free_intervals_1,"
            "free_intervals_2,free_intervals_4,free_intervals_8,"
            "free_intervals_16,free_intervals_32,free_intervals_64,"
            "largest_switch_0,idle_switches_0,largest_switch_1,"
            "idle_switches_1\n");
}

TEST_F(TimeSeriesTest, CsvHasTheSwitchesOfATree) {
  setup_.machine = MachineOn(
      MakeFatTree({{4, 4, 5, 5, 6, 6, 6}, {2, 2, 2, 2, 0, 0, 0}}).value());
  const ScratchFile file;
  auto csv = ReplacedFile::Create(file.path()).value();
  ASSERT_TRUE(WriteSeries(*setup_.machine, RunJobs(two_), *csv).ok());
  // Four of eight nodes are free, those below switch 5.
  EXPECT_THAT(file.Read(), HasSubstr("\n1,first-fit,row-major,easy,0,0,4,0,2,0,"
                                     "0,4,2,0,0,1,0,2,2,4,1\n"));
}

}  // namespace
}  // namespace coolspan
