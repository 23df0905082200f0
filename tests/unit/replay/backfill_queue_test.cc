// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/schedulers/backfill_queue.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <set>
#include <vector>

#include "unit/replay/simulated_runs.h"

namespace coolspan {
namespace {

std::optional<JobIndex> FirstByScan(const std::vector<WorkloadJob>& jobs,
                                    const std::set<JobIndex>& queued,
                                    JobIndex from,
                                    const BackfillQueue::Limits& limits) {
  for (auto it = queued.lower_bound(from); it != queued.end(); ++it) {
    const WorkloadJob& job = jobs[*it];
    if (job.nodes <= limits.free &&
        (job.estimate_ms <= limits.window_ms || job.nodes <= limits.extra)) {
      return *it;
    }
  }
  return std::nullopt;
}

TEST(BackfillQueueTest, EqualsALinearScan) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<WorkloadJob> jobs(1 + random() % 200);
    const auto largest = static_cast<NodeCount>(1 + random() % 64);
    for (WorkloadJob& job : jobs) {
      job = Job(0, 0, static_cast<NodeCount>(1 + random() % largest));
      job.estimate_ms = static_cast<TimeMs>(random() % 50);
    }
    const Estimates estimates(jobs, {});
    BackfillQueue queue(jobs, estimates);
    std::set<JobIndex> queued;
    JobIndex next = 0;
    while (next < jobs.size() || !queued.empty()) {
      if (next < jobs.size() && random() % 3 != 0) {
        queue.Insert(next);
        queued.insert(next++);
      } else if (!queued.empty()) {
        const auto out = std::next(queued.begin(),
                                   static_cast<long>(random() % queued.size()));
        queue.Erase(*out);
        queued.erase(out);
      }
      ASSERT_EQ(queue.size(), queued.size());
      ASSERT_EQ(queue.empty(), queued.empty());
      if (!queued.empty()) {
        ASSERT_EQ(queue.head(), *queued.begin());
      }
      const BackfillQueue::Limits limits{
          .free = static_cast<NodeCount>(random() % 70),
          .extra = static_cast<NodeCount>(random() % 20),
          .window_ms = static_cast<TimeMs>(random() % 60) - 5};
      const auto from = static_cast<JobIndex>(random() % (jobs.size() + 2));
      const auto first = queue.FirstWithin(from, limits);
      ASSERT_EQ(first, FirstByScan(jobs, queued, from, limits))
          << "seed " << seed;
      if (first.has_value()) ++found;
    }
  }
  EXPECT_GT(found, 1000U);
}

TEST(BackfillQueueTest, EmptyWithoutJobs) {
  const Estimates estimates({}, {});
  const BackfillQueue queue({}, estimates);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.FirstWithin(0, {.free = 5, .extra = 5, .window_ms = 5}),
            std::nullopt);
}

}  // namespace
}  // namespace coolspan
