// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/sqlite_starts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/recent_starts.h"
#include "state/sqlite_archive.h"
#include "unit/state/scratch_folder.h"

namespace coolspan {
namespace {

using By = StartQuery::By;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

StoredStart StartOf(JobKey job, TimeMs started_ms) {
  StoredStart start;
  start.job = job;
  start.started_ms = started_ms;
  start.recorded_ms = started_ms + 1;
  start.nodes = "n[1-2]";
  start.verdict = "left";
  start.reason = "--contiguous";
  return start;
}

class SqliteStartsTest : public ::testing::Test {
 protected:
  void Write(std::vector<StoredStart> starts) {
    ArchiveChange change;
    change.cluster = "c";
    change.starts = std::move(starts);
    ASSERT_TRUE(archive_->Write({&change, 1}).ok());
  }
  std::vector<StoredStart> Read(StartQuery query, std::size_t limit = 9) {
    auto starts = archive_->StartsOf("c", query, limit);
    EXPECT_TRUE(starts.ok()) << starts.status();
    return *std::move(starts);
  }

  ScratchFolder folder_;
  std::unique_ptr<DecisionArchive> archive_ =
      *OpenSqliteArchive(folder_.File("archive.db"));
};

TEST_F(SqliteStartsTest, ReturnsWhatWasWritten) {
  StoredStart full = StartOf({5, 2}, 100);
  full.decision_id = "5.2.1";
  full.array_task = {4, 0};
  full.het_component = {3, 1};
  full.advice = AdviceCost{{4, 1'000'000'000'000, 812.5}, {5, 8, std::nullopt}};
  const StoredStart plain = StartOf({5, 3}, 101);
  Write({full, plain});
  EXPECT_THAT(Read({By::kJob, 5}), ElementsAre(plain, full)) << "newest first";
  EXPECT_THAT(Read({By::kJob, 5}, 1), ElementsAre(plain));
  EXPECT_THAT(Read({By::kArrayTask, 4, 0}), ElementsAre(full));
  EXPECT_THAT(Read({By::kArrayTask, 4, 1}), IsEmpty());
  EXPECT_THAT(Read({By::kHetComponent, 3, 1}), ElementsAre(full));
  EXPECT_THAT(Read({By::kHetComponent, 4, 0}), IsEmpty());
  EXPECT_THAT(*archive_->StartsOf("other", {By::kJob, 5}, 9), IsEmpty());
}

TEST_F(SqliteStartsTest, ARepeatedStartIsKeptOnce) {
  const StoredStart start = StartOf({5, 0}, 100);
  StoredStart repeat = start;
  repeat.nodes = "";
  repeat.recorded_ms = 500;
  Write({start});
  Write({repeat, StartOf({5, 0}, 200)});
  EXPECT_THAT(Read({By::kJob, 5}), ElementsAre(StartOf({5, 0}, 200), start));
}

TEST_F(SqliteStartsTest, FindsTheLatestStartOfEachRun) {
  Write({StartOf({5, 0}, 100), StartOf({5, 1}, 101), StartOf({5, 1}, 102),
         StartOf({6, 0}, 103), StartOf({8, 0}, 104)});
  const std::vector<JobKey> runs = {{8, 0}, {5, 1}, {7, 0}};
  EXPECT_THAT(*archive_->LatestStarts("c", runs),
              ElementsAre(StartOf({8, 0}, 104), StartOf({5, 1}, 102)));
  EXPECT_THAT(*archive_->LatestStarts("other", runs), IsEmpty());
}

TEST_F(SqliteStartsTest, ForgetsOldStarts) {
  for (TimeMs ms = 100; ms <= 500; ms += 100) Write({StartOf({1, 0}, ms)});
  EXPECT_EQ(*archive_->Forget(450, 3), 3u);
  EXPECT_EQ(*archive_->Forget(450, 3), 1u);
  EXPECT_EQ(*archive_->Forget(450, 3), 0u);
  EXPECT_THAT(Read({By::kJob, 1}), ElementsAre(StartOf({1, 0}, 500)));
}

TEST_F(SqliteStartsTest, KeepsEndsSubmitsAndTimeLimits) {
  StoredStart first = StartOf({5, 0}, 100);
  first.submitted_s = 7;
  first.time_limit_s = 600;
  Write({first, StartOf({5, 1}, 200), StartOf({6, 0}, 300)});
  ArchiveChange change;
  change.cluster = "c";
  change.ends = {{{5, 0}, 150}, {{6, 0}, 299}, {{7, 0}, 400}};
  ASSERT_TRUE(archive_->Write({&change, 1}).ok());
  change.ends = {{{5, 0}, 160}};  // again
  ASSERT_TRUE(archive_->Write({&change, 1}).ok());
  const auto history = archive_->History("c", {}, 9);
  ASSERT_TRUE(history.ok());
  ASSERT_EQ(history->starts.size(), 3u);
  EXPECT_EQ(history->starts[0].submitted_s, 7);
  EXPECT_EQ(history->starts[0].time_limit_s, 600);
  EXPECT_EQ(history->starts[0].ended_ms, 150);
  EXPECT_EQ(history->starts[1].ended_ms, 0) << "another run";
  EXPECT_EQ(history->starts[2].ended_ms, 0) << "an end before the start";
}

// Slurm counts the restart of a requeued job before its run ends.
TEST_F(SqliteStartsTest, TheEndOfARequeuedRunNamesTheNextOne) {
  Write({StartOf({5, 0}, 100)});
  ArchiveChange change;
  change.cluster = "c";
  change.ends = {{{5, 1}, 150}};
  ASSERT_TRUE(archive_->Write({&change, 1}).ok());
  Write({StartOf({5, 1}, 200)});
  change.ends = {{{5, 1}, 250}};
  ASSERT_TRUE(archive_->Write({&change, 1}).ok());
  const auto history = archive_->History("c", {}, 9);
  ASSERT_TRUE(history.ok());
  ASSERT_EQ(history->starts.size(), 2u);
  EXPECT_EQ(history->starts[0].ended_ms, 150);
  EXPECT_EQ(history->starts[1].ended_ms, 250);
}

TEST_F(SqliteStartsTest, FindsTheLastStartsOfACluster) {
  const auto write = [&](const std::string& cluster,
                         std::vector<StoredStart> starts) {
    ArchiveChange change;
    change.cluster = cluster;
    change.starts = std::move(starts);
    ASSERT_TRUE(archive_->Write({&change, 1}).ok());
  };
  StoredStart first = StartOf({9, 0}, 50);
  first.time_limit_s = 600;
  StoredStart nowhere = StartOf({8, 0}, 60);
  nowhere.nodes = "";  // none of its nodes is in the machine
  std::vector<StoredStart> busy;
  for (std::uint32_t i = 0; i < RecentStarts::kMax + 20; ++i) {
    busy.push_back(StartOf({1000 - i, 0}, 100 + i));
  }
  write("c", {first, nowhere});
  write("busy", busy);
  write("c", {StartOf({3, 0}, 40), StartOf({3, 1}, 300)});
  EXPECT_EQ(*archive_->RecentStartsOf("busy"),
            std::vector<StoredStart>(busy.begin() + 20, busy.end()))
      << "as recorded, oldest first";
  EXPECT_THAT(*archive_->RecentStartsOf("c"),
              ElementsAre(first, StartOf({3, 0}, 40), StartOf({3, 1}, 300)));
  EXPECT_THAT(*archive_->RecentStartsOf("new"), IsEmpty());
}

TEST_F(SqliteStartsTest, HistoryHasPagesAndLimits) {
  Write({StartOf({1, 0}, 100), StartOf({2, 0}, 200), StartOf({3, 0}, 300)});
  auto page = archive_->History("c", {}, 2);
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(page->starts,
              ElementsAre(StartOf({1, 0}, 100), StartOf({2, 0}, 200)));
  page = archive_->History("c", {.after = page->next}, 2);
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(page->starts, ElementsAre(StartOf({3, 0}, 300)));
  EXPECT_EQ(page->next, 0u);
  page = archive_->History("c", {.since_ms = 200, .until_ms = 300}, 9);
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(page->starts, ElementsAre(StartOf({2, 0}, 200)));
  EXPECT_THAT(archive_->History("other", {}, 9)->starts, IsEmpty());
}

}  // namespace
}  // namespace coolspan
