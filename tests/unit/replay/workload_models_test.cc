// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "replay/input/workload.h"
#include "replay/workload_models/workload_model.h"
#include "scratch_file.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

std::vector<GeneratedJob> Make(const std::string& model, std::uint32_t jobs,
                               NodeCount nodes, std::uint64_t seed = 1) {
  const JobSource next = FindWorkloadModel(model).value()->make(nodes, seed);
  std::vector<GeneratedJob> made(jobs);
  std::generate(made.begin(), made.end(), next);
  return made;
}

template <typename Figure>
double MeanOf(const std::vector<GeneratedJob>& jobs, Figure figure) {
  double sum = 0;
  for (const GeneratedJob& job : jobs) sum += figure(job);
  return sum / static_cast<double>(jobs.size());
}

TEST(WorkloadModelsTest, TheSameSeedGivesTheSameLog) {
  for (const WorkloadModelEntry& entry : WorkloadModelTable()) {
    const auto log = [&entry](std::uint64_t seed) {
      std::ostringstream out;
      WriteSwf(entry.make(64, seed), 200, 64, "", out);
      return out.str();
    };
    EXPECT_EQ(log(3), log(3)) << entry.name;
    EXPECT_NE(log(3), log(4)) << entry.name;
  }
}

TEST(WorkloadModelsTest, LogsAreReadBackWhole) {
  for (const WorkloadModelEntry& entry : WorkloadModelTable()) {
    const auto jobs = Make(std::string(entry.name), 500, 20);
    std::ostringstream out;
    WriteSwf(entry.make(20, 1), 500, 20, "by a test", out);
    EXPECT_THAT(out.str(), HasSubstr("; Note: by a test\n"));
    const ScratchFile file(out.str());
    const auto read = LoadWorkload(file.path(), {}, 20);
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_EQ(read->jobs.size(), jobs.size());
    EXPECT_EQ(read->counts.skipped(), 0U);
    EXPECT_EQ(read->counts.reordered, 0U);
    EXPECT_EQ(read->counts.extra_fields, 0U);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      EXPECT_EQ(read->jobs[i].nodes, jobs[i].nodes);
      EXPECT_EQ(read->jobs[i].submit_ms, 1000 * std::llround(jobs[i].submit_s));
      EXPECT_EQ(read->jobs[i].estimate_ms, read->jobs[i].run_ms);
    }
  }
}

TEST(WorkloadModelsTest, LogsAreWrittenWhileTheyAreGenerated) {
  std::ostringstream out;
  std::uint32_t made = 0;
  std::size_t at_half = 0;
  const JobSource next = [&] {
    if (++made == 5'000) at_half = out.str().size();
    return GeneratedJob{};
  };
  WriteSwf(next, 10'000, 4, "", out);
  EXPECT_EQ(made, 10'000U);
  EXPECT_GT(at_half, out.str().size() / 3);
}

TEST(WorkloadModelsTest, ALogThatCannotBeWrittenEnds) {
  std::ostringstream out;
  std::uint32_t made = 0;
  const JobSource next = [&] {
    if (++made == 5) out.setstate(std::ios::failbit);
    return GeneratedJob{};
  };
  WriteSwf(next, 10'000, 4, "", out);
  EXPECT_EQ(made, 5U);
}

// Bounds are more than four standard deviations wide.
TEST(WorkloadModelsTest, BqpFollowsThePaper) {
  const auto jobs = Make("bqp", 20'000, 40);
  EXPECT_NEAR(jobs.back().submit_s / 20'000, 180, 6);
  EXPECT_NEAR(MeanOf(jobs, [](const auto& job) { return job.run_s; }), 630, 10);
  EXPECT_NEAR(MeanOf(jobs, [](const auto& job) { return job.nodes; }), 8.5,
              0.14);
  const auto [shortest, longest] = std::minmax_element(
      jobs.begin(), jobs.end(),
      [](const auto& a, const auto& b) { return a.run_s < b.run_s; });
  EXPECT_GE(shortest->run_s, 60);
  EXPECT_LT(shortest->run_s, 62);
  EXPECT_LE(longest->run_s, 1200);
  EXPECT_GT(longest->run_s, 1198);
  std::array<int, 17> sizes{};
  for (const GeneratedJob& job : jobs) ++sizes.at(job.nodes);
  EXPECT_EQ(sizes[0], 0);
  for (NodeCount nodes = 1; nodes <= 16; ++nodes) {
    EXPECT_NEAR(sizes.at(nodes), 1250, 150) << nodes;
  }
}

TEST(WorkloadModelsTest, BqpFitsSmallMachines) {
  for (const GeneratedJob& job : Make("bqp", 500, 3)) EXPECT_LE(job.nodes, 3U);
}

TEST(WorkloadModelsTest, Lublin99HasItsMixOfSizes) {
  const auto jobs = Make("lublin99", 40'000, 128);
  const auto share = [&jobs](auto holds) {
    return MeanOf(jobs, [&](const auto& job) { return holds(job) ? 1.0 : 0; });
  };
  // More than four standard deviations, as all bounds here.
  EXPECT_NEAR(share([](const auto& job) { return job.nodes == 1; }), 0.244,
              0.01);
  // 0.576 of all jobs by choice. Of the other 0.18, those whose size happens to
  // round to one: a share of 0.27, log2(2.5) - 0.8 + log2(4.5 / 3.5) + ... of
  // the logarithms of the two stages.
  EXPECT_NEAR(share([](const auto& job) {
                return job.nodes >= 2 && (job.nodes & (job.nodes - 1)) == 0;
              }),
              0.576 + 0.18 * 0.27, 0.01);
  // The low stage ends at 2^4.5, 23 nodes.
  EXPECT_NEAR(share([](const auto& job) { return job.nodes > 23; }),
              0.756 * 0.14, 0.02);
  EXPECT_TRUE(std::all_of(jobs.begin(), jobs.end(),
                          [](const auto& job) { return job.nodes <= 128; }));
}

TEST(WorkloadModelsTest, Lublin99LargeJobsAreLongMoreOften) {
  const auto jobs = Make("lublin99", 40'000, 128);
  // Between the two gammas of the logarithm, 3.9 and 9.4 in the mean.
  const auto long_share = [&jobs](NodeCount from, NodeCount to) {
    int all = 0;
    int longer = 0;
    for (const GeneratedJob& job : jobs) {
      if (job.nodes < from || job.nodes > to) continue;
      ++all;
      if (std::log(job.run_s) > 7.5) ++longer;
    }
    return static_cast<double>(longer) / all;
  };
  // 1 - (0.78 - 0.0054 n), and the upper end of the short ones, 0.04.
  EXPECT_NEAR(long_share(1, 1), 0.2254 + 0.04, 0.03);
  EXPECT_NEAR(long_share(64, 64), 0.5656 + 0.03, 0.06);
}

TEST(WorkloadModelsTest, Lublin99ArrivesByDay) {
  const auto jobs = Make("lublin99", 40'000, 128);
  std::array<int, 24> by_hour{};
  for (const GeneratedJob& job : jobs) {
    const double hour = 8 + job.submit_s / 3600;
    ++by_hour.at(static_cast<std::size_t>(hour) % 24);
  }
  const auto busiest = std::max_element(by_hour.begin(), by_hour.end());
  const auto quietest = std::min_element(by_hour.begin(), by_hour.end());
  EXPECT_NEAR(static_cast<double>(busiest - by_hour.begin()), 14, 2);
  EXPECT_NEAR(static_cast<double>(quietest - by_hour.begin()), 5, 1);
  EXPECT_GT(*busiest, 5 * *quietest);
  // exp of gamma(10.46, 0.4871), a little cut: about 1,000 s.
  EXPECT_NEAR(jobs.back().submit_s / 40'000, 1000, 150);
}

TEST(WorkloadModelsTest, UnknownNamesListTheKnownOnes) {
  EXPECT_EQ(std::string(FindWorkloadModel("lublin").status().message()),
            "--model: unknown name 'lublin'; did you mean 'lublin99'?");
  EXPECT_THAT(std::string(FindWorkloadModel("").status().message()),
              HasSubstr("expected one of lublin99, bqp"));
}

}  // namespace
}  // namespace coolspan
