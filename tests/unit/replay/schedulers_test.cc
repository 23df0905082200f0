// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "replay/schedulers/scheduler.h"
#include "unit/replay/naive_schedulers.h"
#include "unit/replay/simulated_runs.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FcfsTest, NothingOvertakesTheHead) {
  const std::vector<WorkloadJob> jobs = {
      Job(0, 100, 6),  // leaves 4
      Job(1, 50, 5),   // waits
      Job(2, 10, 1),   // fits, but comes later
  };
  EXPECT_THAT(StartsS(jobs, 10, "fcfs"), ElementsAre(0, 100, 100));
}

TEST(FcfsTest, EndsComeBeforeSubmitsOfTheSameInstant) {
  const std::vector<WorkloadJob> jobs = {Job(0, 100, 10), Job(100, 5, 10)};
  EXPECT_THAT(StartsS(jobs, 10, "fcfs"), ElementsAre(0, 100));
}

TEST(FcfsTest, AZeroRunJobHoldsItsNodesForNoTime) {
  const std::vector<WorkloadJob> jobs = {Job(0, 0, 10), Job(0, 0, 10),
                                         Job(0, 7, 10), Job(3, 0, 10)};
  EXPECT_THAT(StartsS(jobs, 10, "fcfs"), ElementsAre(0, 0, 0, 7));
}

TEST(EasyTest, BackfillsWhatEndsByTheShadow) {
  const std::vector<WorkloadJob> jobs = {
      Job(0, 100, 6),  // until 100
      Job(1, 50, 8),   // head, shadow 100, extra 2
      Job(2, 98, 4),   // 2 + 98 <= 100
  };
  EXPECT_THAT(StartsS(jobs, 10, "easy"), ElementsAre(0, 100, 2));
}

TEST(EasyTest, OneSecondPastTheShadowWaits) {
  const std::vector<WorkloadJob> jobs = {Job(0, 100, 6), Job(1, 50, 8),
                                         Job(2, 99, 4)};
  EXPECT_THAT(StartsS(jobs, 10, "easy"), ElementsAre(0, 100, 150));
}

TEST(EasyTest, ExtraNodesTakeLongJobsUntilTheyAreGone) {
  const std::vector<WorkloadJob> jobs = {
      Job(0, 100, 6), Job(1, 50, 7),  // head, shadow 100, extra 3
      Job(2, 500, 2),                 // of the extra, 1 left
      Job(2, 500, 2),                 // too many
      Job(2, 500, 1),                 // the last
      Job(2, 98, 1),                  // ends by the shadow: needs no extra
  };
  EXPECT_THAT(StartsS(jobs, 10, "easy"), ElementsAre(0, 100, 2, 150, 2, 2));
}

TEST(EasyTest, JobsThatEndInTimeLeaveTheExtraNodes) {
  const std::vector<WorkloadJob> jobs = {
      Job(0, 100, 4), Job(1, 50, 8),  // head, shadow 100, extra 2
      Job(2, 98, 3),                  // in time
      Job(2, 500, 2),                 // still 2 extra
  };
  EXPECT_THAT(StartsS(jobs, 10, "easy"), ElementsAre(0, 100, 2, 2));
}

TEST(EasyTest, LaterEndsAtTheShadowAreNotExtra) {
  // 3 nodes free; at 100 jobs of 2 and 5 nodes end. The head of 5 fits after
  // the first, so there are no extra nodes although 5 more become free at 100.
  const std::vector<WorkloadJob> jobs = {
      Job(0, 100, 5), Job(0, 100, 2), Job(1, 50, 5),  // head
      Job(2, 500, 1),                                 // runs on past the shadow
      Job(2, 98, 1),                                  // does not
  };
  EXPECT_THAT(StartsS(jobs, 10, "easy"), ElementsAre(0, 0, 100, 100, 2));
}

TEST(EasyTest, AnOverrunningJobCountsAsEndingNow) {
  const std::vector<WorkloadJob> jobs = {
      Job(0, 100, 6, 10),  // said 10, runs 100
      Job(1, 50, 10),      // head
      Job(20, 5, 4),       // at 20 the shadow is 20 and nothing is extra
      Job(20, 0, 4),       // a zero estimate ends by any shadow
  };
  EXPECT_THAT(StartsS(jobs, 10, "easy"), ElementsAre(0, 100, 150, 20));
}

TEST(EasyTest, OverrunningJobsCountBySize) {
  // At 50 the jobs of 4 and 2 have both overrun (estimates 10 and 20). By size
  // the head of 5 fits with 3 free and the 2, and nothing is extra; by
  // estimates it would be the 4, with 2 extra.
  const std::vector<WorkloadJob> jobs = {
      Job(0, 100, 4, 10), Job(0, 100, 2, 20), Job(0, 500, 1),
      Job(1, 50, 5),      Job(50, 500, 1),
  };
  EXPECT_THAT(StartsS(jobs, 10, "easy"), ElementsAre(0, 0, 0, 100, 100));
}

TEST(EasyTest, AnEarlyEndStartsTheHeadBeforeItsShadow) {
  const std::vector<WorkloadJob> jobs = {Job(0, 30, 6, 100), Job(1, 50, 8),
                                         Job(2, 60, 4)};
  // The third is backfilled until 62; the head needs 8 and has 6 at 30.
  EXPECT_THAT(StartsS(jobs, 10, "easy"), ElementsAre(0, 62, 2));
}

TEST(EasyTest, RefusedHeadsWaitAndOthersMayPass) {
  const std::vector<WorkloadJob> jobs = {Job(0, 100, 4), Job(1, 50, 3),
                                         Job(2, 10, 1)};
  const SimulatedRun run = Simulate(jobs, 10, "easy", /*refused=*/3);
  EXPECT_TRUE(absl::IsFailedPrecondition(run.status));
  EXPECT_THAT(std::string(run.status.message()),
              HasSubstr("of 3 nodes cannot be placed on the empty machine"));
  EXPECT_THAT(run.starts_ms, ElementsAre(0, -1, 2000));
}

// Four jobs wait for the machine of ten nodes: short and wide, long and narrow.
std::vector<TimeMs> StartsOfFour(const std::string& scheduler) {
  const std::vector<WorkloadJob> jobs = {
      Job(0, 100, 10), Job(1, 30, 6), Job(2, 50, 8),
      Job(3, 20, 7),   Job(4, 40, 8),
  };
  std::vector<TimeMs> starts = StartsS(jobs, 10, scheduler);
  starts.erase(starts.begin());
  return starts;
}

TEST(OrderedQueueTest, OneKeyOrdersTheQueue) {
  EXPECT_THAT(StartsOfFour("fcfs"), ElementsAre(100, 130, 180, 200));
  EXPECT_THAT(StartsOfFour("sjf"), ElementsAre(120, 190, 100, 150));
  EXPECT_THAT(StartsOfFour("longest-first"), ElementsAre(190, 100, 220, 150));
  EXPECT_THAT(StartsOfFour("widest-first"), ElementsAre(210, 100, 190, 150));
  EXPECT_THAT(StartsOfFour("narrowest-first"), ElementsAre(100, 150, 130, 200));
  EXPECT_THAT(StartsOfFour("better-fit"), ElementsAre(210, 100, 190, 150));
}

TEST(OrderedQueueTest, BetterFitPrefersTheLongerOfTwoEquallyWide) {
  const std::vector<WorkloadJob> jobs = {Job(0, 10, 10), Job(1, 5, 8),
                                         Job(2, 7, 8)};
  EXPECT_THAT(StartsS(jobs, 10, "better-fit"), ElementsAre(0, 17, 10));
  EXPECT_THAT(StartsS(jobs, 10, "widest-first"), ElementsAre(0, 10, 15));
}

TEST(OrderedQueueTest, NothingOvertakesTheHead) {
  const std::vector<WorkloadJob> jobs = {Job(0, 100, 6), Job(1, 10, 5),
                                         Job(2, 50, 1)};
  EXPECT_THAT(StartsS(jobs, 10, "sjf"), ElementsAre(0, 100, 100));
}

TEST(CplantTest, StartsAtPollsAndFewestNodesFirst) {
  const std::vector<WorkloadJob> jobs = {
      Job(1, 30, 10),                 // at the first poll, 60
      Job(61, 10, 6),                 // comes after the poll: 120
      Job(62, 70, 3),                 // narrower
      Job(63, 5, 6),  Job(64, 5, 6),  // shorter than the second
  };
  EXPECT_THAT(StartsS(jobs, 10, "cplant"), ElementsAre(60, 240, 120, 120, 180));
  EXPECT_THAT(StartsS(jobs, 10, "cplant:poll=1"),
              ElementsAre(1, 61, 62, 71, 76));
}

TEST(CplantTest, PollsBeforeTimeZero) {
  EXPECT_THAT(StartsS(std::vector{Job(-61, 5, 1), Job(-1, 5, 1)}, 10, "cplant"),
              ElementsAre(-60, 0));
}

TEST(CplantTest, AJobThatIsNeverPlacedEndsTheRun) {
  const SimulatedRun run =
      Simulate(std::vector{Job(1, 10, 3), Job(2, 5, 4)}, 10, "cplant", 3);
  EXPECT_TRUE(absl::IsFailedPrecondition(run.status)) << run.status;
  EXPECT_THAT(run.starts_ms, ElementsAre(-1, -1));
}

TEST(ConservativeTest, NoReservationIsDelayed) {
  const std::vector<WorkloadJob> jobs = {
      Job(0, 100, 6),  // until 100
      Job(1, 50, 8),   // reserved from 100 to 150
      Job(2, 200, 4),  // reserved from 150: 8 + 4 do not fit
      Job(3, 97, 4),   // ends at 100
      Job(4, 50, 2),   // beside the 8, from 100
      Job(5, 51, 2),   // would end at 151 beside the third, so from 100 too? no
  };
  // EASY would start the last job at 100 as well, but 8 + 2 + 2 do not fit.
  EXPECT_THAT(StartsS(jobs, 10, "conservative"),
              ElementsAre(0, 100, 150, 3, 100, 150));
}

TEST(ConservativeTest, EasyDelaysTheSecondInTheQueueAndConservativeDoesNot) {
  const std::vector<WorkloadJob> jobs = {
      Job(0, 10, 6),   // until 10
      Job(1, 10, 10),  // head: from 10 to 20
      Job(2, 10, 10),  // from 20 to 30
      Job(3, 25, 4),   // delays the head, so it waits with both
      Job(4, 6, 4),    // ends at 10
  };
  EXPECT_THAT(StartsS(jobs, 10, "conservative"), ElementsAre(0, 10, 20, 30, 4));
  const std::vector<WorkloadJob> extra = {
      Job(0, 10, 6), Job(1, 10, 8),  // head: from 10 to 20, 2 extra
      Job(2, 10, 10),                // from 20
      Job(3, 25, 2),                 // extra of the head, delays the third
  };
  EXPECT_THAT(StartsS(extra, 10, "easy"), ElementsAre(0, 10, 28, 3));
  EXPECT_THAT(StartsS(extra, 10, "conservative"), ElementsAre(0, 10, 20, 30));
}

TEST(ConservativeTest, EarlyEndsMoveReservationsForward) {
  const std::vector<WorkloadJob> jobs = {
      Job(0, 40, 6, 100),  // ends 60 s early
      Job(1, 50, 8),       // reserved from 100, moved to 52
      Job(2, 50, 3),       // ends at 52
  };
  EXPECT_THAT(StartsS(jobs, 10, "conservative"), ElementsAre(0, 52, 2));
  const std::vector<WorkloadJob> full = {Job(0, 40, 6, 100), Job(1, 50, 8),
                                         Job(2, 50, 3, 120), Job(3, 5, 9)};
  EXPECT_THAT(StartsS(full, 10, "conservative"), ElementsAre(0, 40, 90, 140));
}

TEST(ConservativeTest, OverrunsPostponeReservations) {
  const std::vector<WorkloadJob> jobs = {
      Job(0, 100, 6, 10),  // expected until 10
      Job(1, 50, 8),       // reserved from 10, started at 100
      Job(20, 30, 4),      // fits now and would delay the second by nothing
                           // that is known: it is expected at 20.001
  };
  EXPECT_THAT(StartsS(jobs, 10, "conservative"), ElementsAre(0, 100, 150));
}

TEST(EstimatesTest, FactorOfTheRunTime) {
  // With estimates of twice the run time the third is not expected to end
  // before the shadow at 200.
  const std::vector<WorkloadJob> jobs = {Job(0, 100, 6), Job(1, 50, 8),
                                         Job(2, 99, 4)};
  const auto starts = [&jobs](const std::string& rule) {
    return Simulate(jobs, 10, "easy", 0, ReadEstimateRule(rule).value())
        .starts_ms;
  };
  EXPECT_THAT(starts("trace"), ElementsAre(0, 100'000, 150'000));
  EXPECT_THAT(starts("factor"), ElementsAre(0, 100'000, 150'000));
  EXPECT_THAT(starts("factor:by=2"), ElementsAre(0, 101'000, 2'000));
}

TEST(EstimatesTest, MeanOfTheLastTwoJobsOfTheUser) {
  std::vector<WorkloadJob> jobs;
  for (int i = 0; i < 6; ++i) jobs.push_back(Job(i, 10, 1, 1000));
  for (WorkloadJob& job : jobs) job.user = 7;
  jobs[5].user = 8;
  Estimates estimates(jobs, ReadEstimateRule("user-mean").value());
  estimates.Submitted(0);
  EXPECT_EQ(estimates.Of(0), 1'000'000) << "no job has ended";
  estimates.Ended(0, 10'000);
  estimates.Submitted(1);
  EXPECT_EQ(estimates.Of(1), 10'000);
  estimates.Ended(1, 30'000);
  estimates.Submitted(2);
  EXPECT_EQ(estimates.Of(2), 20'000);
  estimates.Ended(2, 50'000);
  estimates.Submitted(3);
  EXPECT_EQ(estimates.Of(3), 40'000) << "the first is forgotten";
  EXPECT_EQ(estimates.Of(2), 20'000) << "does not change any more";
  jobs[4].estimate_ms = 5'000;
  estimates.Submitted(4);
  EXPECT_EQ(estimates.Of(4), 5'000) << "at most that of the trace";
  estimates.Submitted(5);
  EXPECT_EQ(estimates.Of(5), 1'000'000) << "another user";
}

TEST(EstimatesTest, UnknownRulesAreRefused) {
  EXPECT_EQ(std::string(ReadEstimateRule("tracy").status().message()),
            "--estimates: unknown name 'tracy'; did you mean 'trace'?");
  EXPECT_EQ(std::string(ReadEstimateRule("factor:by=0").status().message()),
            "estimate factor: \"by=0\": 0 is out of range (expected above 0, "
            "at most 1000)");
}

TEST(ClusterTest, EndsCanMove) {
  const std::vector<WorkloadJob> jobs = {Job(0, 100, 4), Job(0, 50, 4)};
  Estimates estimates(jobs, {});
  CountingPort port;
  std::vector<std::pair<JobIndex, TimeMs>> ends;
  Cluster cluster(
      {.jobs = jobs, .estimates = estimates, .machine_nodes = 10, .seed = 0},
      port,
      [&jobs](const Placement& placement) -> absl::StatusOr<JobRun> {
        return JobRun{.run_ms = jobs[placement.job].run_ms,
                      .communication_share = {}};
      },
      [&ends](const JobEnd& end) { ends.emplace_back(end.job, end.now_ms); });
  ASSERT_TRUE(cluster.Start(0).value());
  ASSERT_TRUE(cluster.Start(1).value());
  EXPECT_EQ(cluster.next_end_ms(), 50'000);
  cluster.MoveEnd(1, 120'000);
  EXPECT_EQ(cluster.next_end_ms(), 100'000);
  cluster.MoveEnd(0, 30'000);
  EXPECT_EQ(cluster.next_end_ms(), 30'000);
  ASSERT_TRUE(cluster.AdvanceTo(30'000).ok());
  EXPECT_THAT(cluster.ended(), ElementsAre(0));
  EXPECT_EQ(cluster.free_nodes(), 6U);
  EXPECT_EQ(cluster.next_end_ms(), 120'000);
  ASSERT_TRUE(cluster.AdvanceTo(120'000).ok());
  EXPECT_TRUE(cluster.idle());
  EXPECT_THAT(ends, ElementsAre(std::pair(0U, 30'000), std::pair(1U, 120'000)));
}

TEST(SchedulerTableTest, UnknownNamesListTheKnownOnes) {
  const auto error = [](const std::string& spec) {
    return std::string(SchedulerChoice::Create(spec).status().message());
  };
  EXPECT_EQ(error("eazy"),
            "--scheduler: unknown name 'eazy'; did you mean 'easy'?");
  EXPECT_THAT(error(""), HasSubstr("unknown name '' (expected one of fcfs, "));
  EXPECT_EQ(error("fcfs:poll=1"),
            "scheduler fcfs: \"poll=1\": the scheduler takes no options");
  EXPECT_EQ(error("cplant:poll=0"),
            "scheduler cplant: \"poll=0\": 0 is out of range (expected 1 to "
            "86400)");
}

// Few distinct sizes and times make ties frequent; a load near the capacity of
// the machine makes long queues.
std::vector<WorkloadJob> RandomJobs(std::mt19937_64& random) {
  const auto below = [&random](std::uint64_t n) {
    return static_cast<TimeMs>(random() % n);
  };
  const TimeMs gap = 1 + below(12);
  const TimeMs longest = 1 + below(40);
  const std::uint64_t kinds = 1 + random() % 4;
  std::vector<WorkloadJob> jobs;
  TimeMs now = 0;
  const auto count = static_cast<std::size_t>(1 + below(120));
  for (std::size_t i = 0; i < count; ++i) {
    now += below(gap);
    const TimeMs run = random() % 8 == 0 ? 0 : below(longest);
    WorkloadJob job =
        Job(now, run, static_cast<NodeCount>(1 + below(1 + below(16))));
    if (kinds == 1) job.estimate_ms = job.run_ms;
    if (kinds == 2) job.estimate_ms = job.run_ms + 1000 * below(longest);
    if (kinds >= 3) job.estimate_ms = 1000 * below(longest);
    jobs.push_back(job);
  }
  return jobs;
}

class AgainstNaiveTest : public testing::TestWithParam<bool> {};

TEST_P(AgainstNaiveTest, SameStartsOnRandomJobs) {
  const bool backfill = GetParam();
  std::size_t backfilled = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    std::mt19937_64 random(seed);
    const std::vector<WorkloadJob> jobs = RandomJobs(random);
    const SimulatedRun run = Simulate(jobs, 16, backfill ? "easy" : "fcfs");
    ASSERT_TRUE(run.status.ok()) << run.status;
    ASSERT_EQ(run.starts_ms, NaiveSimulation(jobs, 16, backfill).StartsMs())
        << "seed " << seed;
    for (std::size_t i = 1; i < run.order.size(); ++i) {
      if (run.order[i] < run.order[i - 1]) ++backfilled;
    }
  }
  EXPECT_EQ(backfilled > 1000, backfill);
}

TEST(ConservativeTest, SameStartsAsNaiveAndNoneAfterItsPromise) {
  std::size_t overtaken = 0;
  std::size_t earlier = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<WorkloadJob> jobs = RandomJobs(random);
    for (WorkloadJob& job : jobs) {
      job.run_ms = std::max<TimeMs>(job.run_ms, 1000);
      job.estimate_ms = std::max(job.estimate_ms, job.run_ms);
    }
    const SimulatedRun run = Simulate(jobs, 16, "conservative");
    ASSERT_TRUE(run.status.ok()) << run.status;
    NaiveConservative naive(jobs, 16);
    ASSERT_EQ(run.starts_ms, naive.StartsMs()) << "seed " << seed;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      ASSERT_LE(run.starts_ms[i], naive.promised_ms[i]) << "seed " << seed;
      if (run.starts_ms[i] < naive.promised_ms[i]) ++earlier;
      if (i > 0 && run.order[i] < run.order[i - 1]) ++overtaken;
    }
  }
  EXPECT_GT(overtaken, 300U);
  EXPECT_GT(earlier, 300U);
}

TEST(ConservativeTest, JobsBeyondTheDepthWait) {
  const std::vector<WorkloadJob> jobs = {Job(0, 100, 6), Job(1, 50, 8),
                                         Job(2, 50, 9), Job(3, 10, 4),
                                         Job(3, 10, 4)};
  EXPECT_THAT(StartsS(jobs, 10, "conservative:depth=3"),
              ElementsAre(0, 100, 150, 3, 13));
  EXPECT_THAT(StartsS(jobs, 10, "conservative:depth=2"),
              ElementsAre(0, 100, 150, 200, 200));
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const std::vector<WorkloadJob> many = RandomJobs(random);
    ASSERT_EQ(Simulate(many, 16, "conservative:depth=1").starts_ms,
              Simulate(many, 16, "fcfs").starts_ms)
        << "seed " << seed;
  }
}

// The nodes in use never exceed the machine, and every job runs once.
TEST(AllSchedulersTest, NodesAreNotSharedAndNoJobIsLost) {
  for (const SchedulerEntry& scheduler : SchedulerTable()) {
    // The nodes of this port are not real: group_schedulers_test.cc, and
    // scint_test.cc, have those that choose nodes.
    if (scheduler.obeys_node_types) continue;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      std::mt19937_64 random(seed);
      const std::vector<WorkloadJob> jobs = RandomJobs(random);
      const SimulatedRun run = Simulate(jobs, 16, std::string(scheduler.name));
      ASSERT_TRUE(run.status.ok())
          << scheduler.name << ", seed " << seed << ": " << run.status;
      ASSERT_EQ(run.order.size(), jobs.size());
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        const TimeMs at = run.starts_ms[i];
        ASSERT_GE(at, jobs[i].submit_ms);
        NodeCount used = 0;
        for (std::size_t k = 0; k < jobs.size(); ++k) {
          const TimeMs start = run.starts_ms[k];
          if (start <= at && at < start + jobs[k].run_ms) used += jobs[k].nodes;
        }
        ASSERT_LE(used, 16U) << scheduler.name << ", seed " << seed;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Schedulers, AgainstNaiveTest, testing::Bool(),
                         [](const auto& test) {
                           return test.param ? "easy" : "fcfs";
                         });

}  // namespace
}  // namespace coolspan
