// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/sqlite_starts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "state/sqlite_store.h"
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
  void Write(std::vector<StoredStart> starts,
             std::vector<StoredHolding> held = {}) {
    StoredChange change;
    change.cluster = "c";
    change.starts = std::move(starts);
    change.held = std::move(held);
    ASSERT_TRUE(store_->Write({&change, 1}).ok());
  }
  std::vector<StoredStart> Read(StartQuery query, std::size_t limit = 9) {
    auto starts = store_->StartsOf("c", query, limit);
    EXPECT_TRUE(starts.ok()) << starts.status();
    return *std::move(starts);
  }

  ScratchFolder folder_;
  std::unique_ptr<Store> store_ = *OpenSqliteStore(folder_.File("state.db"));
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
  EXPECT_THAT(*store_->StartsOf("other", {By::kJob, 5}, 9), IsEmpty());
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

TEST_F(SqliteStartsTest, FindsTheLatestStartOfEachHolder) {
  StoredHolding running;
  running.job = {5, 1};
  running.committed = true;
  StoredHolding tentative;
  tentative.job = {6, 0};
  StoredHolding unknown = running;
  unknown.job = {7, 0};
  Write({StartOf({5, 0}, 100), StartOf({5, 1}, 101), StartOf({5, 1}, 102),
         StartOf({6, 0}, 103), StartOf({8, 0}, 104)},
        {running, tentative, unknown});
  EXPECT_THAT(*store_->StartsOfHolders("c"), ElementsAre(StartOf({5, 1}, 102)));
  EXPECT_THAT(*store_->StartsOfHolders("other"), IsEmpty());
}

TEST_F(SqliteStartsTest, ForgetsOldStarts) {
  for (TimeMs ms = 100; ms <= 500; ms += 100) Write({StartOf({1, 0}, ms)});
  EXPECT_EQ(*store_->Forget(450, 3), 3u);
  EXPECT_EQ(*store_->Forget(450, 3), 1u);
  EXPECT_EQ(*store_->Forget(450, 3), 0u);
  EXPECT_THAT(Read({By::kJob, 1}), ElementsAre(StartOf({1, 0}, 500)));
}

TEST_F(SqliteStartsTest, ASyncKeepsThem) {
  Write({StartOf({1, 0}, 100)});
  StoredChange sync;
  sync.cluster = "c";
  sync.synced.emplace().name = "c";
  ASSERT_TRUE(store_->Write({&sync, 1}).ok());
  EXPECT_EQ(Read({By::kJob, 1}).size(), 1u);
}

}  // namespace
}  // namespace coolspan
