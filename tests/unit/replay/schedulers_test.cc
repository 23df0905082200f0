// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
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

TEST(SchedulerTableTest, UnknownNamesListTheKnownOnes) {
  EXPECT_EQ(std::string(FindScheduler("eazy").status().message()),
            "--scheduler: unknown name 'eazy'; did you mean 'easy'?");
  EXPECT_EQ(std::string(FindScheduler("").status().message()),
            "--scheduler: unknown name '' (expected one of fcfs, easy)");
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

INSTANTIATE_TEST_SUITE_P(Schedulers, AgainstNaiveTest, testing::Bool(),
                         [](const auto& test) {
                           return test.param ? "easy" : "fcfs";
                         });

}  // namespace
}  // namespace coolspan
