// SPDX-License-Identifier: GPL-3.0-or-later
// The scheduler and the policy recorded: jobs as they ran according to a trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "replay/input/workload.h"
#include "scratch_file.h"
#include "unit/replay/simulated_runs.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

WorkloadJob StartedJob(TimeMs submit_s, TimeMs start_s, TimeMs run_s,
                       NodeCount nodes) {
  WorkloadJob job = Job(submit_s, run_s, nodes);
  job.recorded_start_ms = start_s * 1000;
  return job;
}

TEST(RecordedSchedulerTest, StartsJobsWhenTheyStarted) {
  // The last one starts on a machine that has been idle.
  const std::vector<WorkloadJob> jobs = {
      StartedJob(0, 50, 10, 4), StartedJob(1, 5, 10, 2),
      StartedJob(2, 5, 10, 2), StartedJob(3, 500, 1, 4)};
  EXPECT_THAT(StartsS(jobs, 4, "recorded"), ElementsAre(50, 5, 5, 500));
}

TEST(RecordedSchedulerTest, WaitsForNodesWithoutDelayingOthers) {
  // The second needs more than is left beside the first, the third does not.
  const std::vector<WorkloadJob> jobs = {
      StartedJob(0, 0, 10, 3), StartedJob(1, 5, 10, 2), StartedJob(2, 6, 3, 1)};
  EXPECT_THAT(StartsS(jobs, 4, "recorded"), ElementsAre(0, 10, 6));
}

TEST(RecordedSchedulerTest, AnUnknownStartIsTheSubmit) {
  const std::vector<WorkloadJob> jobs = {Job(3, 10, 4), Job(20, 10, 4)};
  EXPECT_THAT(StartsS(jobs, 4, "recorded"), ElementsAre(3, 20));
}

class RecordedWorkloadTest : public ::testing::Test {
 protected:
  static std::string Swf(int number, int submit, int wait) {
    return std::to_string(number) + " " + std::to_string(submit) + " " +
           std::to_string(wait) + " 60 1 -1 -1 1 -1 -1 1 1 1 1 1 -1 -1 -1\n";
  }
};

TEST_F(RecordedWorkloadTest, StartsOfSwfAreSubmitAndWait) {
  const ScratchFile file(Swf(1, 10, 5) + Swf(2, 20, 0) + Swf(3, 30, -1));
  WorkloadOptions options;
  auto workload = LoadWorkload(file.path(), options, 8);
  ASSERT_TRUE(workload.ok()) << workload.status();
  ASSERT_EQ(workload->jobs.size(), 3U);
  EXPECT_EQ(workload->jobs[0].recorded_start_ms, 15'000);
  EXPECT_EQ(workload->jobs[1].recorded_start_ms, 20'000);
  EXPECT_EQ(workload->jobs[2].recorded_start_ms, kUnknownStartMs);

  options.needs_starts = true;
  workload = LoadWorkload(file.path(), options, 8);
  ASSERT_TRUE(workload.ok());
  EXPECT_EQ(workload->jobs.size(), 2U);
  EXPECT_EQ(workload->counts.unknown_start, 1U);
  EXPECT_EQ(workload->counts.skipped(), 1U);
}

TEST_F(RecordedWorkloadTest, ATraceWithoutAnyStartIsRefused) {
  const ScratchFile file(Swf(1, 10, -1));
  WorkloadOptions options;
  options.needs_starts = true;
  EXPECT_THAT(
      std::string(LoadWorkload(file.path(), options, 8).status().message()),
      HasSubstr("has no start times"));
}

TEST_F(RecordedWorkloadTest, CopiesStartAsMuchLaterAsTheyArrive) {
  const ScratchFile file(Swf(1, 10, 5));
  WorkloadOptions options;
  options.replicate = 3;
  const auto workload = LoadWorkload(file.path(), options, 8);
  ASSERT_TRUE(workload.ok());
  ASSERT_EQ(workload->jobs.size(), 3U);
  for (const WorkloadJob& job : workload->jobs) {
    EXPECT_EQ(job.recorded_start_ms - job.submit_ms, 5'000);
  }
}

}  // namespace
}  // namespace coolspan
