// SPDX-License-Identifier: GPL-3.0-or-later
// Clusters that nobody has heard of for long, and calls with a clock ahead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "service/clusters/live_clusters.h"
#include "unit/service/clusters/live_cluster_test.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

class ForgottenClusterTest : public LiveClusterTest {
 protected:
  static constexpr TimeMs kDayMs = TimeMs{24} * 3600 * 1000;

  ForgottenClusterTest() {
    setting_.clock_ms = [this] { return now_ms_; };
    clusters_ = std::make_unique<LiveClusters>(setting_);
    clusters_->SetExpiry(30 * kDayMs);
  }
  void Hear(const std::vector<v1::Holding>& holdings = {}) {
    ASSERT_TRUE(clusters_->Sync(SmallSync(holdings)).ok());
    clusters_->All().front()->Tick();
  }
  // Restores what is stored, as another daemon does.
  void RestoreAll() {
    ASSERT_TRUE(journal_.Wait(journal_.last()).ok());
    clusters_ = std::make_unique<LiveClusters>(setting_);
    clusters_->SetExpiry(30 * kDayMs);
    ASSERT_TRUE(clusters_->Restore(*ledger_store_->Load(), *archive_).ok());
  }

  TimeMs now_ms_ = 1000 * kDayMs;
  std::unique_ptr<LiveClusters> clusters_;
};

TEST_F(ForgottenClusterTest, IsRemovedAndNotStored) {
  Hear();
  now_ms_ += 29 * kDayMs;
  clusters_->RemoveForgotten(now_ms_);
  EXPECT_EQ(clusters_->All().size(), 1u);
  now_ms_ += 2 * kDayMs;
  clusters_->All().front()->Tick();
  clusters_->RemoveForgotten(now_ms_);
  EXPECT_TRUE(clusters_->All().empty());
  ASSERT_TRUE(journal_.Wait(journal_.last()).ok());
  EXPECT_TRUE(ledger_store_->Load()->empty());
  std::ifstream log(folder_.File("log.txt"));
  const std::string text{std::istreambuf_iterator<char>(log), {}};
  EXPECT_THAT(text, HasSubstr("no contact for cluster_expiry_days"));
}

TEST_F(ForgottenClusterTest, TheLastContactSurvivesARestart) {
  Hear();
  RestoreAll();
  now_ms_ += 31 * kDayMs;
  clusters_->All().front()->Tick();
  EXPECT_EQ(clusters_->All().front()->Status().heard_ms(), 1000 * kDayMs);
  clusters_->RemoveForgotten(now_ms_);
  EXPECT_TRUE(clusters_->All().empty());
}

TEST_F(ForgottenClusterTest, JobsThatMayRunAreKept) {
  Hear({WholeHolding(1, {1})});
  now_ms_ += 100 * kDayMs;
  clusters_->RemoveForgotten(now_ms_);
  EXPECT_EQ(clusters_->All().size(), 1u) << "its end is not known";
  v1::Holding limited = WholeHolding(1, {1});
  limited.set_expected_end_ms(now_ms_ + kDayMs);
  Hear({limited});
  now_ms_ += 31 * kDayMs - 1;
  clusters_->RemoveForgotten(now_ms_);
  EXPECT_EQ(clusters_->All().size(), 1u) << "since the time limit of its job";
  now_ms_ += 2 * kDayMs;
  clusters_->RemoveForgotten(now_ms_);
  EXPECT_TRUE(clusters_->All().empty());
}

class AheadTest : public LiveClusterTest {};

constexpr TimeMs kHourMs = 3'600'000;

TEST_F(AheadTest, AnAllocateDatedAnHourAheadHoldsNothing) {
  Sync("q");
  ASSERT_TRUE(Ask(1, 2).ok());
  const auto ahead = Ask(2, 2, 1000 + kHourMs);
  EXPECT_TRUE(absl::IsFailedPrecondition(ahead.status())) << ahead.status();
  EXPECT_THAT(std::string(ahead.status().message()),
              HasSubstr("ahead of the time since the last call"));
  const auto holdings = HoldingsOf(cluster_);
  ASSERT_EQ(holdings.size(), 1u) << "job 1's allocation has not expired";
  EXPECT_EQ(holdings[0].job.job_id, 1u);
  EXPECT_TRUE(Ask(2, 2).ok());
}

TEST_F(AheadTest, ASyncSetsTheClock) {
  Sync("q");
  Sync("r", 1000 + kHourMs);
  EXPECT_TRUE(Ask(2, 2, 1000 + kHourMs).ok());
}

TEST_F(AheadTest, AnEventDatedAnHourAheadEndsNoOtherAllocation) {
  Sync("q");
  ASSERT_TRUE(Ask(1, 2).ok());
  v1::Event event = CommitOf(epoch_, 1, 2, {5}, 1000 + kHourMs);
  event.set_client_id(client_id_);
  ASSERT_TRUE(cluster_.Apply(EventKind::kCommit, event).ok());
  EXPECT_EQ(HoldingsOf(cluster_).size(), 2u);
  EXPECT_TRUE(Ask(3, 2).ok()) << "the clock is that of before";
}

// Events that waited in the client's queue while the daemon was away.
TEST_F(AheadTest, OldEventsDoNotMakeTheNextAllocateLookAhead) {
  Sync("q", 1000 + kHourMs);
  v1::Event event = CommitOf(epoch_, 1, 2, {5}, 1000);
  event.set_client_id(client_id_);
  ASSERT_TRUE(cluster_.Apply(EventKind::kCommit, event).ok());
  EXPECT_TRUE(Ask(3, 2, 1000 + kHourMs).ok());
}

}  // namespace
}  // namespace coolspan
