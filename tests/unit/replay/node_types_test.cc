// SPDX-License-Identifier: GPL-3.0-or-later
// Types of nodes in a replay: speeds, energy, deadlines and required types.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "replay/input/workload.h"
#include "replay/ports/in_process_port.h"
#include "replay/replay.h"
#include "scratch_file.h"
#include "unit/replay/simulated_runs.h"
#include "unit/replay/two_speed_machine.h"

namespace coolspan {
namespace {

class NodeTypesTest : public testing::Test {
 protected:
  double Metric(const std::string& name) {
    setup_.machine = TwoSpeedMachine(4, 4);
    setup_.open_port = InProcessPorts(setup_.machine, {});
    RunLists lists;
    lists.orderings = {MakeOrdering(*setup_.machine, "row-major").value()};
    lists.policies = {"free-list"};
    lists.schedulers = {SchedulerChoice::Create(scheduler_).value()};
    setup_.runs = EveryRun(lists);
    Workload workload;
    workload.jobs = jobs_;
    std::atomic<std::uint64_t> started = 0;
    const auto reports =
        Replay(setup_, OneWorkload(std::move(workload)), started);
    EXPECT_TRUE(reports.ok()) << reports.status();
    return ValueOf(reports->front().metrics, name).value_or(-1);
  }

  ReplaySetup setup_;
  std::vector<WorkloadJob> jobs_;
  std::string scheduler_ = "easy";
};

TEST_F(NodeTypesTest, JobsRunAtTheSpeedOfTheirSlowestNode) {
  jobs_ = {Job(0, 100, 5)};  // four slow nodes and a fast one
  EXPECT_EQ(Metric("mean_runtime_s"), 100);
  scheduler_ = "fcfs-groups";
  jobs_ = {Job(0, 100, 4)};
  EXPECT_EQ(Metric("mean_runtime_s"), 50);
}

// The job that runs ends at 50 and not, as estimated at speed 1, at 100: a job
// of 60 s would delay the head.
TEST_F(NodeTypesTest, EstimatedEndsAreThoseAtTheSpeedOfTheNodes) {
  jobs_ = {Job(0, 1000, 4), Job(0, 100, 3), Job(1, 10, 4), Job(2, 60, 1)};
  EXPECT_EQ(Metric("makespan_s"), 1000);
  EXPECT_EQ(Metric("mean_wait_s"), 49.0 / 4 + 53.0 / 4);
}

TEST_F(NodeTypesTest, EnergyIsCountedForTheTimeAsked) {
  jobs_ = {Job(0, 100, 4)};
  const double run_j = Metric("it_energy_j");
  setup_.min_energy_ms = 50'000;
  EXPECT_EQ(Metric("it_energy_j"), run_j);
  setup_.min_energy_ms = 300'000;
  constexpr double kIdleW = 8 * 100;
  EXPECT_NEAR(Metric("it_energy_j"), run_j + 200 * kIdleW, 1e-6 * run_j);
}

WorkloadJob LoadOne(const std::string& fields, const WorkloadOptions& options) {
  const ScratchFile file(fields);
  const auto workload = LoadWorkload(file.path(), options, 8);
  EXPECT_TRUE(workload.ok()) << workload.status();
  return workload->jobs.front();
}

TEST(WorkloadNodeTypesTest, DeadlinesAreRunTimesOrEstimates) {
  const std::string line = "1 10 -1 60 4 -1 -1 4 90 -1 1 1 1 1 1 2 -1 -1\n";
  EXPECT_EQ(LoadOne(line, {.deadline_factor = 2}).deadline_ms, 130'000);
  EXPECT_EQ(LoadOne(line, {.deadline_factor = 2, .deadline_by_estimate = true})
                .deadline_ms,
            190'000);
}

TEST(WorkloadNodeTypesTest, PartitionsAreTypesIfAsked) {
  const std::string line = "1 10 -1 60 4 -1 -1 4 90 -1 1 1 1 1 1 2 -1 -1\n";
  EXPECT_EQ(LoadOne(line, {}).node_type, -1);
  EXPECT_EQ(LoadOne(line, {.node_types = 2}).node_type, 1);
  EXPECT_EQ(LoadOne(line, {.node_types = 1}).node_type, -1);
}

}  // namespace
}  // namespace coolspan
