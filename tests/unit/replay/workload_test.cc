// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/input/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "network_machines.h"
#include "scratch_file.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Line(const std::string& number, const std::string& submit,
                 const std::string& run, const std::string& procs,
                 const std::string& requested = "-1",
                 const std::string& estimate = "-1") {
  return number + " " + submit + " -1 " + run + " " + procs + " -1 -1 " +
         requested + " " + estimate + " -1 1 1 1 1 1 -1 -1 -1\n";
}

absl::StatusOr<Workload> Load(const std::string& content,
                              const WorkloadOptions& options = {},
                              NodeCount machine_nodes = 128) {
  const ScratchFile file(content);
  return LoadWorkload(file.path(), options, machine_nodes);
}

std::vector<std::int64_t> Numbers(const Workload& workload) {
  std::vector<std::int64_t> numbers;
  for (const WorkloadJob& job : workload.jobs) numbers.push_back(job.number);
  return numbers;
}

TEST(WorkloadTest, KeepsTimesInMilliseconds) {
  const auto workload = Load(Line("3", "10", "60.5", "4", "8", "90"));
  ASSERT_TRUE(workload.ok()) << workload.status();
  ASSERT_EQ(workload->jobs.size(), 1U);
  const WorkloadJob& job = workload->jobs[0];
  EXPECT_EQ(job.number, 3);
  EXPECT_EQ(job.submit_ms, 10'000);
  EXPECT_EQ(job.run_ms, 60'500);
  EXPECT_EQ(job.estimate_ms, 90'000);
  EXPECT_EQ(job.nodes, 8U);
}

TEST(WorkloadTest, AWindowLeavesOutWhatIsSubmittedBeforeOrAfter) {
  const std::string content =
      Line("1", "9", "60", "4") + Line("2", "10", "60", "4") +
      Line("3", "19", "60", "4") + Line("4", "20", "60", "4") +
      Line("5", "30", "-1", "4");
  const auto workload = Load(content, {.from_ms = 10'000, .until_ms = 20'000});
  ASSERT_TRUE(workload.ok()) << workload.status();
  EXPECT_THAT(Numbers(*workload), ElementsAre(2, 3));
  EXPECT_EQ(workload->counts.outside_window, 2U);
  EXPECT_EQ(workload->counts.jobs + workload->counts.skipped(), 5U);
}

TEST(WorkloadTest, DeadlinesCountFromTheSubmitOfEachCopy) {
  const auto workload =
      Load(Line("1", "10", "60", "4"),
           {.replicate = 3, .deadline_factor = 2.5, .jitter_ms = 1000});
  ASSERT_TRUE(workload.ok()) << workload.status();
  ASSERT_EQ(workload->jobs.size(), 3U);
  for (const WorkloadJob& job : workload->jobs) {
    EXPECT_EQ(job.deadline_ms, job.submit_ms + 150'000);
  }
  EXPECT_EQ(Load(Line("1", "10", "60", "4"))->jobs[0].deadline_ms,
            kNoDeadlineMs);
}

// On 6 base blocks of 4 nodes, in pairs.
TEST(WorkloadTest, JobsAreRoundedUpToWholeSegments) {
  std::string content;
  for (const char* nodes : {"1", "3", "4", "17", "19"}) {
    content += Line("1", "0", "60", nodes);
  }
  WorkloadOptions options = {.segments_on = BlocksMachine(),
                             .segment_nodes = 3};
  const auto workload = Load(content, options, 24);
  ASSERT_TRUE(workload.ok()) << workload.status();
  std::vector<std::pair<NodeCount, NodeCount>> sizes;
  for (const WorkloadJob& job : workload->jobs) {
    sizes.emplace_back(job.nodes, job.segment_nodes);
  }
  EXPECT_THAT(sizes, ElementsAre(std::pair(1U, 1U), std::pair(3U, 3U),
                                 std::pair(6U, 3U), std::pair(18U, 3U)));
  EXPECT_EQ(workload->counts.rounded_to_segments, 2U);
  EXPECT_EQ(workload->counts.too_large, 1U) << "7 segments, each in a block";
  EXPECT_EQ(workload->counts.largest_nodes, 19U);
}

TEST(WorkloadTest, EachJobIsOneSegment) {
  const std::string content =
      Line("1", "0", "60", "5") + Line("2", "0", "60", "24");
  const auto workload = Load(content, {.segments_on = BlocksMachine()}, 24);
  ASSERT_TRUE(workload.ok()) << workload.status();
  ASSERT_EQ(workload->jobs.size(), 2U);
  EXPECT_EQ(workload->jobs[0].segment_nodes, 5U);
  EXPECT_EQ(workload->jobs[1].segment_nodes, 24U);
  EXPECT_EQ(workload->counts.rounded_to_segments, 0U);
  EXPECT_EQ(Load(content, {}, 24)->jobs[0].segment_nodes, 0U);
}

TEST(WorkloadTest, CountsTheNodeSecondsBeforeRounding) {
  const auto workload =
      Load(Line("1", "0", "10", "9") + Line("2", "0", "100", "16"),
           {.procs_per_node = 8});
  ASSERT_TRUE(workload.ok());
  EXPECT_DOUBLE_EQ(workload->counts.requested_node_s, 9 / 8.0 * 10 + 200);
}

TEST(WorkloadTest, EveryLineIsAJobOrSkippedForOneReason) {
  const std::string content =
      Line("1", "0", "60", "4") + Line("2", "1", "0", "4") +
      Line("3", "2", "-1", "4") + Line("4", "3", "60", "0") +
      Line("5", "4", "60", "-1") + Line("6", "5", "0", "0") +
      Line("7", "6", "60", "129") + Line("8", "7", "60", "500") +
      Line("9", "8", "60", "128");
  const auto workload = Load(content);
  ASSERT_TRUE(workload.ok());
  EXPECT_EQ(workload->counts.jobs, 2U);
  EXPECT_EQ(workload->counts.zero_run, 2U);
  EXPECT_EQ(workload->counts.unknown_run, 1U);
  EXPECT_EQ(workload->counts.zero_procs, 2U);
  EXPECT_EQ(workload->counts.too_large, 2U);
  EXPECT_EQ(workload->counts.largest_nodes, 500U);
  EXPECT_EQ(workload->counts.jobs + workload->counts.skipped(), 9U);
  EXPECT_THAT(Numbers(*workload), ElementsAre(1, 9));
}

TEST(WorkloadTest, ZeroRunJobsRunOnRequest) {
  WorkloadOptions options;
  options.run_zero_run = true;
  const auto workload =
      Load(Line("1", "0", "0", "4") + Line("2", "0", "-1", "4", "-1", "30") +
               Line("3", "0", "0", "0") + Line("4", "0", "60", "4"),
           options);
  ASSERT_TRUE(workload.ok());
  EXPECT_EQ(workload->counts.jobs, 2U);
  EXPECT_EQ(workload->counts.zero_run_jobs, 1U);
  EXPECT_EQ(workload->counts.zero_run, 0U);
  EXPECT_EQ(workload->counts.unknown_run, 1U) << "such a job did not run";
  EXPECT_EQ(workload->counts.zero_procs, 1U);
  EXPECT_EQ(workload->jobs[0].run_ms, 0);
  EXPECT_EQ(workload->jobs[0].estimate_ms, 0);
  EXPECT_EQ(workload->jobs[1].run_ms, 60'000);
}

TEST(WorkloadTest, SortsBySubmitAndCountsReorderedLines) {
  const auto workload =
      Load(Line("1", "30", "60", "4") + Line("2", "10", "60", "4") +
           Line("3", "20", "60", "4") + Line("4", "10", "60", "4") +
           Line("5", "5", "0", "4"));
  ASSERT_TRUE(workload.ok());
  EXPECT_THAT(Numbers(*workload), ElementsAre(2, 4, 3, 1));
  EXPECT_EQ(workload->counts.reordered, 3U);  // lines 2, 4 and 5
}

TEST(WorkloadTest, ScalesProcessorsUp) {
  WorkloadOptions options;
  options.scale_up = 3;
  options.scale_down = 2;
  options.procs_per_node = 8;
  const auto workload =
      Load(Line("1", "0", "60", "1") + Line("2", "0", "60", "5") +
               Line("3", "0", "60", "6") + Line("4", "0", "60", "682") +
               Line("5", "0", "60", "683"),
           options);
  ASSERT_TRUE(workload.ok());
  ASSERT_EQ(workload->jobs.size(), 4U);
  EXPECT_EQ(workload->jobs[0].nodes, 1U);
  EXPECT_EQ(workload->jobs[1].nodes, 1U);     // 7.5 -> 8 processors
  EXPECT_EQ(workload->jobs[2].nodes, 2U);     // 9
  EXPECT_EQ(workload->jobs[3].nodes, 128U);   // 1023
  EXPECT_EQ(workload->counts.too_large, 1U);  // 1024.5 -> 1025 -> 129 nodes
}

TEST(WorkloadTest, MultipliesWork) {
  WorkloadOptions options;
  options.work_multiple = 1.5;
  const auto workload = Load(
      Line("1", "10", "3", "1") + Line("2", "10", "2", "1", "1", "9"), options);
  ASSERT_TRUE(workload.ok());
  EXPECT_EQ(workload->jobs[0].submit_ms, 10'000);
  EXPECT_EQ(workload->jobs[0].run_ms, 4'500);
  EXPECT_EQ(workload->jobs[0].estimate_ms, 4'500);
  EXPECT_EQ(workload->jobs[1].run_ms, 3'000);
  EXPECT_EQ(workload->jobs[1].estimate_ms, 13'500);
}

TEST(WorkloadTest, ReplicatesWithLaterCopies) {
  std::string content;
  for (int i = 0; i < 50; ++i) {
    content += Line(std::to_string(i), std::to_string(100 * i), "60", "4");
  }
  WorkloadOptions options;
  options.replicate = 3;
  options.seed = 7;
  const auto workload = Load(content, options);
  ASSERT_TRUE(workload.ok());
  EXPECT_EQ(workload->counts.jobs, 50U);
  ASSERT_EQ(workload->jobs.size(), 150U);
  EXPECT_TRUE(std::is_sorted(
      workload->jobs.begin(), workload->jobs.end(),
      [](const auto& a, const auto& b) { return a.submit_ms < b.submit_ms; }));
  std::vector<int> copies(50);
  for (const WorkloadJob& job : workload->jobs) {
    ++copies[job.number];
    EXPECT_GE(job.submit_ms, 100'000 * job.number);
    EXPECT_LT(job.submit_ms, 100'000 * job.number + 3'600'000);
  }
  EXPECT_EQ(copies, std::vector<int>(50, 3));

  const auto again = Load(content, options);
  EXPECT_EQ(Numbers(*again), Numbers(*workload));
  options.seed = 8;
  EXPECT_NE(Numbers(*Load(content, options)), Numbers(*workload));
}

TEST(WorkloadTest, MaxJobsAppliesAfterSkippingAndSorting) {
  WorkloadOptions options;
  options.max_jobs = 2;
  const auto workload =
      Load(Line("1", "30", "60", "4") + Line("2", "0", "0", "4") +
               Line("3", "20", "60", "4") + Line("4", "10", "60", "4"),
           options);
  ASSERT_TRUE(workload.ok());
  EXPECT_THAT(Numbers(*workload), ElementsAre(4, 3));
  EXPECT_EQ(workload->counts.jobs + workload->counts.skipped(), 4U);
}

TEST(WorkloadTest, ALogWithoutJobsIsAnError) {
  for (const std::string content : {"", "; only a comment\n", "\n\n"}) {
    const auto workload = Load(content);
    ASSERT_FALSE(workload.ok());
    EXPECT_THAT(std::string(workload.status().message()), HasSubstr("no jobs"));
  }
  EXPECT_TRUE(Load(Line("1", "0", "0", "4")).ok());  // all skipped: an answer
}

TEST(WorkloadTest, TimesAndNumbersOutOfRangeAreErrors) {
  EXPECT_THAT(
      std::string(Load(Line("1", "1e13", "60", "4")).status().message()),
      HasSubstr(":1: time of 1"));
  EXPECT_FALSE(Load(Line("1", "-1e13", "60", "4")).ok());
  EXPECT_FALSE(Load(Line("1", "0", "1e13", "4")).ok());
  EXPECT_FALSE(Load(Line("1", "0", "60", "4", "4", "1e13")).ok());
  EXPECT_THAT(std::string(Load(Line("1.5", "0", "60", "4")).status().message()),
              HasSubstr("job number 1.5"));
  EXPECT_TRUE(Load(Line("1", "0", "60", "1e30")).ok());  // too large
  EXPECT_EQ(Load(Line("1", "0", "60", "1e30"))->counts.too_large, 1U);
  std::string content;
  for (int i = 0; i < 10'000; ++i) content += Line("1", "0", "1e12", "4");
  EXPECT_THAT(std::string(Load(content).status().message()),
              HasSubstr("total run time of 1e+16 s"));
}

TEST(WorkloadTest, ABrokenLineLeavesNothing) {
  const auto workload = Load(Line("1", "0", "60", "4") + "2 0 60\n");
  ASSERT_FALSE(workload.ok());
  EXPECT_THAT(std::string(workload.status().message()), HasSubstr(":2: 3 fie"));
}

}  // namespace
}  // namespace coolspan
