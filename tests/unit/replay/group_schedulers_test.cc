// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "policy/thermal/victor_ranks.h"
#include "replay/schedulers/node_groups.h"
#include "unit/replay/naive_schedulers.h"
#include "unit/replay/simulated_runs.h"
#include "unit/replay/two_speed_machine.h"

namespace coolspan {
namespace {

using ::testing::DoubleEq;
using ::testing::Each;
using ::testing::ElementsAre;

WorkloadJob Due(WorkloadJob job, TimeMs deadline_s) {
  job.deadline_ms = deadline_s * 1000;
  return job;
}
WorkloadJob OfType(WorkloadJob job, std::int32_t type) {
  job.node_type = type;
  return job;
}

TEST(AtSpeedTest, DividesAndKeepsJobsRunning) {
  EXPECT_EQ(AtSpeed(1000, 1), 1000);
  EXPECT_EQ(AtSpeed(1000, 2.5), 400);
  EXPECT_EQ(AtSpeed(1000, 0.5), 2000);
  EXPECT_EQ(AtSpeed(1, 4), 1);
  EXPECT_EQ(AtSpeed(0, 4), 0);
}

TEST(NodeGroupsTest, TheMostEfficientIsFirst) {
  const auto machine = TwoSpeedMachine(4, 6);
  const NodeGroups groups(*machine);
  ASSERT_EQ(groups.groups().size(), 2U);
  EXPECT_THAT(groups.groups()[0].nodes.Members(),
              ElementsAre(4, 5, 6, 7, 8, 9));
  EXPECT_EQ(groups.groups()[0].speed, 2);
  EXPECT_EQ(groups.groups()[1].count, 4U);
  EXPECT_EQ(groups.whole().speed, 1);
  EXPECT_THAT(groups.GroupsFor(Job(0, 1, 4)), ElementsAre(0, 1));
  EXPECT_THAT(groups.GroupsFor(Job(0, 1, 5)), ElementsAre(0));
  EXPECT_THAT(groups.GroupsFor(Job(0, 1, 7)), ElementsAre());
  EXPECT_THAT(groups.GroupsFor(OfType(Job(0, 1, 4), 0)), ElementsAre(1));
}

// Twice the speed at three times the power is less efficient.
TEST(NodeGroupsTest, EfficiencyIsSpeedPerWatt) {
  Room::Description room = RoomDescription(4, 2, RandomHeat(2, 1e-4, 1));
  room.types.push_back(
      {.idle_w = 100, .compute_w = 900, .communicate_w = 200, .speed = 2});
  room.type_of = {1, 1, 0, 0};
  const auto machine = InRoom(*MeshMachine(FlatGrid({4, 1})), room);
  EXPECT_THAT(NodeGroups(*machine).groups()[0].nodes.Members(),
              ElementsAre(2, 3));
}

TEST(NodeGroupsTest, EqualTypesAreOneGroup) {
  Room::Description room = RoomDescription(4, 2, RandomHeat(2, 1e-4, 1));
  room.types.push_back(room.types[0]);
  room.type_of = {0, 1, 0, 1};
  const auto machine = InRoom(*MeshMachine(FlatGrid({4, 1})), room);
  EXPECT_EQ(NodeGroups(*machine).groups().size(), 1U);
}

TEST(NodeGroupsTest, EqualTypesAreGroupsOfTheirOwnIfAJobRequiresOne) {
  const std::vector<std::pair<NodeCount, double>> speeds = {{4, 1}, {4, 1}};
  const auto machine = MachineOfSpeeds(speeds);
  const std::vector<WorkloadJob> jobs = {Job(0, 1, 2), OfType(Job(0, 1, 2), 1)};
  const NodeGroups groups(*machine, jobs);
  ASSERT_EQ(groups.groups().size(), 2U);
  ASSERT_EQ(groups.GroupsFor(jobs[1]).size(), 1U);
  EXPECT_THAT(
      groups.groups()[groups.GroupsFor(jobs[1]).front()].nodes.Members(),
      ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(NodeGroups(*machine, std::span(jobs).first(1)).groups().size(), 1U);
}

TEST(GroupSchedulersTest, JobsRunOnTheTypeTheyRequireAmongEqualOnes) {
  const std::vector<std::pair<NodeCount, double>> speeds = {{4, 1}, {4, 1}};
  const auto machine = MachineOfSpeeds(speeds);
  const std::vector<WorkloadJob> jobs = {Due(OfType(Job(0, 100, 2), 1), 1000),
                                         Due(OfType(Job(1, 100, 3), 0), 1000),
                                         Due(OfType(Job(2, 100, 1), 1), 1000)};
  for (const char* const name :
       {"fcfs-groups", "edf-lrh", "scint:evaluations=9000",
        "scint:evaluations=9000:migrations=2:migration-time=0"}) {
    const PlacedRun run = SimulateOn(*machine, jobs, name);
    ASSERT_TRUE(run.status.ok()) << name << ": " << run.status;
    for (std::size_t k = 0; k < jobs.size(); ++k) {
      for (const NodeId node : run.nodes[k]) {
        EXPECT_EQ(node / 4, static_cast<NodeId>(jobs[k].node_type)) << name;
      }
    }
  }
}

TEST(FcfsGroupsTest, JobsFallThroughToTheNextGroup) {
  const auto machine = TwoSpeedMachine(4, 6);
  const std::vector<WorkloadJob> jobs = {Job(0, 100, 6), Job(1, 100, 4),
                                         Job(2, 100, 2)};
  const PlacedRun run = SimulateOn(*machine, jobs, "fcfs-groups");
  ASSERT_TRUE(run.status.ok()) << run.status;
  // The fast group is full until 50, the slow one then until 101.
  EXPECT_THAT(run.starts_s, ElementsAre(0, 1, 50));
  EXPECT_THAT(run.ends_s, ElementsAre(50, 101, 100));
  EXPECT_THAT(run.nodes[1], ElementsAre(0, 1, 2, 3));
}

TEST(FcfsGroupsTest, JobsWaitForTheTypeTheyRequire) {
  const auto machine = TwoSpeedMachine(4, 6);
  const std::vector<WorkloadJob> jobs = {
      OfType(Job(0, 100, 4), 0), OfType(Job(1, 10, 1), 0), Job(2, 10, 1)};
  const PlacedRun run = SimulateOn(*machine, jobs, "fcfs-groups");
  EXPECT_THAT(run.starts_s, ElementsAre(0, 100, 2));
  EXPECT_THAT(run.nodes[1], ElementsAre(0));
}

// What falls through does not delay the head of the queue there.
TEST(FcfsGroupsTest, HeadsOfOtherQueuesKeepTheirReservations) {
  const auto machine = TwoSpeedMachine(4, 6);
  const std::vector<WorkloadJob> jobs = {
      Job(0, 200, 6),             // fast, until 100
      OfType(Job(0, 50, 2), 0),   // slow, until 50
      OfType(Job(1, 100, 4), 0),  // head of the slow group, at 50
      Job(2, 60, 2),              // would run until 62 there
      Job(3, 40, 2),              // until 43
  };
  const PlacedRun run = SimulateOn(*machine, jobs, "fcfs-groups");
  EXPECT_THAT(run.starts_s, ElementsAre(0, 0, 50, 100, 3));
}

TEST(FcfsGroupsTest, JobsLargerThanAnyGroupRunAtTheSpeedOfTheSlowest) {
  const auto machine = TwoSpeedMachine(4, 6);
  const std::vector<WorkloadJob> jobs = {Job(0, 100, 2), Job(1, 80, 9),
                                         Job(2, 90, 1), Job(2, 100, 1)};
  const PlacedRun run = SimulateOn(*machine, jobs, "fcfs-groups");
  ASSERT_TRUE(run.status.ok()) << run.status;
  // The large one can start at 50 and leaves one node; the last two end by
  // then or take that one.
  EXPECT_THAT(run.starts_s, ElementsAre(0, 50, 2, 2));
  EXPECT_THAT(run.ends_s, ElementsAre(50, 130, 47, 52));
}

std::vector<WorkloadJob> RandomJobs(std::uint32_t seed, NodeCount max_nodes) {
  std::minstd_rand random(seed);
  std::vector<WorkloadJob> jobs;
  TimeMs submit_s = 0;
  for (int i = 0; i < 120; ++i) {
    submit_s += static_cast<TimeMs>(random() % 20);
    const auto run_s = static_cast<TimeMs>(1 + random() % 100);
    jobs.push_back(Job(submit_s, run_s,
                       static_cast<NodeCount>(1 + random() % max_nodes),
                       run_s + static_cast<TimeMs>(random() % 50)));
  }
  return jobs;
}

TEST(FcfsGroupsTest, OneGroupIsEasy) {
  const auto machine = MeshMachine(FlatGrid({10, 1}));
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const std::vector<WorkloadJob> jobs = RandomJobs(seed, 10);
    Estimates estimates(jobs, {});
    CountingPort port;
    std::vector<TimeMs> starts(jobs.size(), -1);
    FirstOfferedPort placing(10);
    Cluster cluster(
        {.jobs = jobs, .estimates = estimates, .machine_nodes = 10, .seed = 0},
        placing,
        [&](const Placement& placement) -> absl::StatusOr<JobRun> {
          starts[placement.job] = placement.start_ms();
          return JobRun{.run_ms = jobs[placement.job].run_ms,
                        .communication_share = {}};
        },
        [](const JobEnd&) {});
    const auto scheduler = SchedulerChoice::Create("fcfs-groups")
                               ->Make({.jobs = jobs,
                                       .estimates = estimates,
                                       .machine = machine.get()});
    ASSERT_TRUE(RunEvents({.jobs = jobs}, estimates, *scheduler, cluster).ok());
    EXPECT_EQ(starts, NaiveSimulation(jobs, 10, true).StartsMs()) << seed;
  }
}

// No node is in two jobs at once, and all jobs of the groups run.
TEST(GroupSchedulersTest, NodesAreInOneJob) {
  const auto machine = TwoSpeedMachine(6, 8);
  for (const char* const name :
       {"fcfs-groups", "edf-lrh", "scint:evaluations=9000"}) {
    std::vector<WorkloadJob> jobs = RandomJobs(3, 13);
    for (WorkloadJob& job : jobs) {
      job.deadline_ms = job.submit_ms + 3 * job.estimate_ms;
    }
    const PlacedRun run = SimulateOn(*machine, jobs, name);
    ASSERT_TRUE(run.status.ok()) << name << ": " << run.status;
    for (std::size_t a = 0; a < jobs.size(); ++a) {
      ASSERT_GE(run.starts_s[a] * 1000, static_cast<double>(jobs[a].submit_ms));
      ASSERT_EQ(run.nodes[a].size(), jobs[a].nodes);
      for (std::size_t b = 0; b < a; ++b) {
        if (run.starts_s[a] >= run.ends_s[b] ||
            run.starts_s[b] >= run.ends_s[a]) {
          continue;
        }
        std::vector<NodeId> both;
        std::set_intersection(run.nodes[a].begin(), run.nodes[a].end(),
                              run.nodes[b].begin(), run.nodes[b].end(),
                              std::back_inserter(both));
        ASSERT_TRUE(both.empty()) << name << ": " << a << " and " << b;
      }
    }
  }
}

TEST(EdfLrhTest, JobsRunOneAfterTheOtherWhileDeadlinesAllow) {
  const auto machine = TwoSpeedMachine(4, 6);
  const std::vector<WorkloadJob> jobs = {Due(Job(0, 100, 2), 1000),
                                         Due(Job(1, 100, 2), 900),
                                         Due(Job(2, 100, 2), 800)};
  const PlacedRun run = SimulateOn(*machine, jobs, "edf-lrh");
  // At twice the speed; the last has the earliest deadline.
  EXPECT_THAT(run.starts_s, ElementsAre(0, 100, 50));
}

// With a tenth the jobs of two nodes may wait until 85.9 and 76.8, the large
// one until 82.7. When the third arrives, it would end at 100, so the second
// one does not wait for it; the large one takes the opening at 50.
TEST(EdfLrhTest, JobsWaitForOthersForAShareOfTheirSlack) {
  const auto machine = TwoSpeedMachine(4, 6);
  const std::vector<WorkloadJob> jobs = {
      Due(Job(0, 100, 2), 1000), Due(Job(1, 100, 2), 900),
      Due(Job(2, 100, 2), 800), Due(Job(3, 200, 8), 1000)};
  EXPECT_THAT(SimulateOn(*machine, jobs, "edf-lrh:slack=0.1").starts_s,
              ElementsAre(0, 2, 52, 50));
  EXPECT_THAT(SimulateOn(*machine, jobs, "edf-lrh:slack=0").starts_s,
              ElementsAre(0, 1, 2, 51));
  EXPECT_THAT(SimulateOn(*machine, jobs, "edf-lrh").starts_s,
              ElementsAre(0, 100, 50, 150));
}

TEST(EdfLrhTest, WithoutSlackJobsWithoutADeadlineDoNotWaitForOthers) {
  const auto machine = TwoSpeedMachine(4, 6);
  const std::vector<WorkloadJob> jobs = {Job(0, 100, 2), Job(1, 100, 3),
                                         Job(2, 50, 8)};
  EXPECT_THAT(SimulateOn(*machine, jobs, "edf-lrh:slack=0").starts_s,
              ElementsAre(0, 1, 51));
  EXPECT_THAT(SimulateOn(*machine, jobs, "edf-lrh").starts_s,
              ElementsAre(0, 50, 100));
}

TEST(EdfLrhTest, JobsThatWouldBeLateTakeAnOpening) {
  const auto machine = TwoSpeedMachine(4, 6);
  const std::vector<WorkloadJob> jobs = {Due(Job(0, 100, 2), 1000),
                                         Due(Job(1, 60, 4), 40)};
  const PlacedRun run = SimulateOn(*machine, jobs, "edf-lrh");
  EXPECT_THAT(run.starts_s, ElementsAre(0, 1));
  EXPECT_THAT(run.ends_s, ElementsAre(50, 31));
}

TEST(EdfLrhTest, PushFitShiftsJobsThatStillMeetTheirDeadlines) {
  const auto machine = TwoSpeedMachine(0, 6);
  const std::vector<WorkloadJob> jobs = {
      Due(Job(0, 100, 3), 1000),  // until 50
      Due(Job(1, 20, 6), 100),    // planned from 50 to 60
      Due(Job(2, 120, 3), 115),   // 60 s: neither before nor after that
  };
  const PlacedRun run = SimulateOn(*machine, jobs, "edf-lrh");
  EXPECT_THAT(run.starts_s, ElementsAre(0, 62, 2));
}

TEST(EdfLrhTest, WithoutRoomInTheFirstGroupJobsFallThrough) {
  const auto machine = TwoSpeedMachine(4, 6);
  const std::vector<WorkloadJob> jobs = {Due(Job(0, 200, 6), 110),
                                         Due(Job(1, 60, 4), 70)};
  const PlacedRun run = SimulateOn(*machine, jobs, "edf-lrh");
  EXPECT_THAT(run.starts_s, ElementsAre(0, 1));
  EXPECT_THAT(run.nodes[1], ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(run.ends_s, ElementsAre(100, 61));
}

// In the group in which it ends first: not the slow one, although it is free.
TEST(EdfLrhTest, JobsThatMissTheirDeadlineEndAsEarlyAsTheyCan) {
  const auto machine = TwoSpeedMachine(4, 6);
  const std::vector<WorkloadJob> jobs = {Due(Job(0, 100, 6), 110),
                                         Due(Job(1, 200, 4), 60)};
  const PlacedRun run = SimulateOn(*machine, jobs, "edf-lrh");
  EXPECT_THAT(run.ends_s, ElementsAre(50, 150));
}

TEST(EdfLrhTest, TakesTheNodesOfLowestVictorRank) {
  const auto machine = TwoSpeedMachine(0, 12);
  const std::vector<double> ranks = VictorRanks(*machine->room());
  const std::vector<WorkloadJob> jobs = {Due(Job(0, 100, 4), 1000)};
  const PlacedRun run = SimulateOn(*machine, jobs, "edf-lrh");
  double highest_taken = 0;
  for (const NodeId node : run.nodes[0]) {
    highest_taken = std::max(highest_taken, ranks[node]);
  }
  NodeCount lower = 0;
  for (const double rank : ranks) lower += rank < highest_taken ? 1 : 0;
  EXPECT_LT(lower, 4U);
  EXPECT_NE(run.nodes[0], (std::vector<NodeId>{0, 1, 2, 3}));
}

TEST(EdfLrhTest, AnOverrunningJobDelaysOthersUntilItEnds) {
  const auto machine = TwoSpeedMachine(0, 6);
  const std::vector<WorkloadJob> jobs = {Due(Job(0, 400, 6, 100), 1000),
                                         Due(Job(1, 100, 6), 5000)};
  const PlacedRun run = SimulateOn(*machine, jobs, "edf-lrh");
  ASSERT_TRUE(run.status.ok()) << run.status;
  EXPECT_THAT(run.starts_s, ElementsAre(0, 200));
}

// The slow nodes first: the job has their speed on any of the others too.
TEST(EdfLrhTest, JobsThatAreLateTakeNodesOfSeveralGroups) {
  const auto machine = TwoSpeedMachine(4, 6);
  const std::vector<WorkloadJob> jobs = {Due(Job(0, 400, 4), 1000),
                                         Due(Job(1, 10, 5), 30)};
  const PlacedRun run = SimulateOn(*machine, jobs, "edf-lrh");
  ASSERT_TRUE(run.status.ok()) << run.status;
  EXPECT_THAT(run.starts_s, ElementsAre(0, 1));
  EXPECT_THAT(run.ends_s, ElementsAre(200, 11));
  ASSERT_EQ(run.nodes[1].size(), 5U);
  EXPECT_THAT(std::vector<NodeId>(run.nodes[1].begin(), run.nodes[1].end() - 1),
              ElementsAre(0, 1, 2, 3));
}

// On the two fast groups, not on all three at the speed of the slowest.
TEST(EdfLrhTest, JobsLeaveOutGroupsWithoutWhichTheyEndFirst) {
  const std::vector<std::pair<NodeCount, double>> speeds = {
      {4, 4}, {4, 3}, {4, 1}};
  const auto machine = MachineOfSpeeds(speeds);
  const std::vector<WorkloadJob> jobs = {Due(Job(0, 300, 8), 150)};
  const PlacedRun large = SimulateOn(*machine, jobs, "edf-lrh");
  ASSERT_TRUE(large.status.ok()) << large.status;
  EXPECT_THAT(large.nodes[0], ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(large.ends_s, ElementsAre(100));
  // A late job of four nodes, while two of each fast group are in use.
  const std::vector<WorkloadJob> late = {Due(OfType(Job(0, 4000, 2), 0), 5000),
                                         Due(OfType(Job(0, 3000, 2), 1), 5000),
                                         Due(Job(1, 300, 4), 150)};
  const PlacedRun run = SimulateOn(*machine, late, "edf-lrh");
  ASSERT_TRUE(run.status.ok()) << run.status;
  EXPECT_EQ(run.ends_s[2], 101);
  for (const NodeId node : run.nodes[2]) EXPECT_LT(node, 8U);
}

TEST(EdfLrhTest, LateJobsStayInTheGroupInWhichTheyEndFirst) {
  const auto machine = TwoSpeedMachine(4, 6);
  const std::vector<WorkloadJob> jobs = {Due(Job(0, 20, 4), 1000),
                                         Due(Job(1, 100, 5), 30)};
  const PlacedRun run = SimulateOn(*machine, jobs, "edf-lrh");
  EXPECT_THAT(run.starts_s, ElementsAre(0, 10));
  EXPECT_THAT(run.ends_s, ElementsAre(10, 60));
}

TEST(EdfLrhTest, LateJobsStayOnTheTypeTheyRequire) {
  const auto machine = TwoSpeedMachine(4, 6);
  const std::vector<WorkloadJob> jobs = {Due(Job(0, 400, 4), 1000),
                                         OfType(Due(Job(1, 10, 5), 30), 1)};
  const PlacedRun run = SimulateOn(*machine, jobs, "edf-lrh");
  EXPECT_THAT(run.starts_s, ElementsAre(0, 200));
}

TEST(EdfLrhTest, JobsLargerThanAnyGroupAreInTheOrderOfDeadlines) {
  const auto machine = TwoSpeedMachine(4, 6);
  const std::vector<WorkloadJob> jobs = {Due(Job(0, 100, 2), 1000),
                                         Due(Job(1, 100, 8), 500),
                                         Due(Job(2, 60, 1), 400)};
  const PlacedRun run = SimulateOn(*machine, jobs, "edf-lrh");
  ASSERT_TRUE(run.status.ok()) << run.status;
  EXPECT_THAT(run.starts_s, ElementsAre(0, 80, 50));
}

// It takes an opening in both groups: the second one need not wait.
TEST(EdfLrhTest, JobsLargerThanAnyGroupTakeAnOpening) {
  const auto machine = TwoSpeedMachine(4, 6);
  const std::vector<WorkloadJob> jobs = {Due(Job(0, 100, 2), 1000),
                                         Due(Job(1, 100, 8), 105)};
  const PlacedRun run = SimulateOn(*machine, jobs, "edf-lrh");
  ASSERT_TRUE(run.status.ok()) << run.status;
  EXPECT_THAT(run.starts_s, ElementsAre(0, 1));
}

TEST(EdfLrhTest, LateJobsLargerThanAnyGroupStartBeforeAllOthers) {
  const auto machine = TwoSpeedMachine(4, 6);
  const std::vector<WorkloadJob> jobs = {Due(Job(0, 100, 3), 1000),
                                         Due(Job(1, 100, 8), 120),
                                         Due(Job(2, 60, 1), 100)};
  const PlacedRun run = SimulateOn(*machine, jobs, "edf-lrh");
  ASSERT_TRUE(run.status.ok()) << run.status;
  EXPECT_THAT(run.starts_s, ElementsAre(0, 50, 2));
}

}  // namespace
}  // namespace coolspan
