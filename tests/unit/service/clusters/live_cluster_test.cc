// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/live_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "service/clusters/live_clusters.h"
#include "unit/service/clusters/live_cluster_test.h"
#include "unit/service/fake_stores.h"

namespace coolspan {
namespace {

TEST_F(LiveClusterTest, SyncOfAReplacedQueueIsRefused) {
  Sync("q.1");
  Sync("q.2");
  ASSERT_TRUE(Commit(1, 1, {1, 2}).ok());
  v1::SyncRequest late = SmallSync();
  late.set_client_id("q.1");
  EXPECT_TRUE(absl::IsAborted(cluster_.Sync(late).status()));
  EXPECT_EQ(cluster_.Holdings().size(), 1u);
}

TEST_F(LiveClusterTest, RepeatedSyncAfterEventsChangesNothing) {
  Sync("q");
  ASSERT_TRUE(Commit(1, 1, {1, 2}).ok());
  Sync("q");
  EXPECT_EQ(cluster_.Holdings().size(), 1u);
  ASSERT_TRUE(Commit(2, 2, {3}).ok()) << "the next one, not a gap";
  EXPECT_EQ(cluster_.Holdings().size(), 2u);
}

TEST_F(LiveClusterTest, SyncEndsTheEffectOfAClockAhead) {
  constexpr std::int64_t kHourMs = 3'600'000;
  Sync("q.1", kHourMs);
  ASSERT_TRUE(Ask(1, 3, kHourMs).ok());
  Sync("q.2", 2000);
  ASSERT_EQ(cluster_.Holdings().size(), 1u);
  EXPECT_EQ(cluster_.Holdings()[0]->expires_ms, 12'000);
  ASSERT_TRUE(Ask(2, 1, 12'000).ok());
  EXPECT_EQ(cluster_.Holdings().size(), 1u) << "job 1 expired";
  EXPECT_EQ(cluster_.Holdings()[0]->job.job_id, 2u);
}

TEST_F(LiveClusterTest, HoldingsExpireOnTimeAfterTheClockIsSetBack) {
  constexpr std::int64_t kHourMs = 3'600'000;
  Sync("q", kHourMs);
  ASSERT_TRUE(Ask(1, 3, kHourMs).ok());
  ASSERT_TRUE(Ask(2, 3, 2000).ok());
  for (const Holding& held : HoldingsOf(cluster_)) {
    EXPECT_EQ(held.expires_ms, 2000 + Allocator::kTentativeMs);
  }
  ASSERT_TRUE(Ask(3, 8, 12'001).ok());
  EXPECT_EQ(cluster_.Holdings().size(), 1U) << "jobs 1 and 2 expired";
}

TEST_F(LiveClusterTest, ALateCallDoesNotSetTheClockBack) {
  Sync("q");
  ASSERT_TRUE(Ask(1, 3, 60'000).ok());
  ASSERT_TRUE(Ask(2, 3, 1000).ok());
  EXPECT_EQ(HoldingsOf(cluster_)[1].expires_ms,
            60'000 + Allocator::kTentativeMs);
}

TEST_F(LiveClusterTest, RepeatOfAnAnswerWithRemovedNodesIsAborted) {
  Sync("q.1");
  ASSERT_TRUE(Ask(1, 2).ok());
  Sync("q.2", 1000, "n[2-8]");
  EXPECT_TRUE(absl::IsAborted(Ask(1, 2).status()));
  EXPECT_TRUE(Ask(2, 2).ok());
}

TEST_F(LiveClusterTest, RepeatIsNotRecordedAgain) {
  Sync("q");
  ASSERT_TRUE(Ask(1, 2).ok());
  ASSERT_TRUE(Commit(1, 1, {5, 6}).ok());
  ASSERT_TRUE(Ask(1, 2).ok());
  ASSERT_TRUE(journal_.Wait(journal_.last()).ok());
  const auto decisions = archive_->DecisionsOf("c", 1, 9);
  ASSERT_EQ(decisions->size(), 1u);
  EXPECT_EQ(decisions->front().outcome, "overruled");
  EXPECT_EQ(times_.Summarise().decisions, 1u);
}

TEST_F(LiveClusterTest, RestartRestoresDisputedHoldings) {
  Sync("q");
  ASSERT_TRUE(Commit(1, 2, {1, 2}).ok());
  ASSERT_TRUE(Commit(2, 1, {2, 3}).ok());
  ASSERT_TRUE(Ask(3, 2).ok());
  ASSERT_TRUE(journal_.Wait(journal_.last()).ok());
  LiveCluster restarted("c", setting_);
  ASSERT_TRUE(
      restarted
          .Restore(ledger_store_->Load()->at(0), *archive_->RecentStartsOf("c"))
          .ok());
  const std::vector<Holding> holdings = HoldingsOf(restarted);
  EXPECT_EQ(holdings, HoldingsOf(cluster_));
  ASSERT_EQ(holdings.size(), 3u);
  EXPECT_TRUE(holdings[1].disputed);
}

TEST_F(LiveClusterTest, HoldingsExpireOnTimeAfterARestartThatLostTheClock) {
  constexpr std::int64_t kHourMs = 3'600'000;
  Sync("q", kHourMs);
  ASSERT_TRUE(Ask(1, 3, kHourMs).ok());
  ASSERT_TRUE(journal_.Wait(journal_.last()).ok());
  LiveCluster restarted("c", setting_);
  ASSERT_TRUE(
      restarted
          .Restore(ledger_store_->Load()->at(0), *archive_->RecentStartsOf("c"))
          .ok());
  const auto ask = [&](std::uint32_t job, std::int64_t now_ms) {
    return AnswerOf(restarted, AskFor(epoch_, job, 1, 1, now_ms), Limits())
        .status();
  };
  EXPECT_TRUE(ask(2, 2000).ok());
  EXPECT_EQ(restarted.Holdings().size(), 2U);
  EXPECT_TRUE(ask(3, 12'000).ok());
  EXPECT_EQ(restarted.Holdings().size(), 1U) << "jobs 1 and 2 expired";
}

TEST_F(LiveClusterTest, AnInvalidRequestDoesNotMoveTheClock) {
  Sync("q");
  ASSERT_TRUE(Ask(1, 3, 100'000).ok());
  for (const std::int64_t now_ms : {1000, 1'000'000'000}) {
    v1::AllocateRequest request = AskFor(epoch_, 2, 1, 1, now_ms);
    request.set_client_id(client_id_);
    request.set_candidates("four");
    EXPECT_TRUE(absl::IsInvalidArgument(
        AnswerOf(cluster_, request, Limits()).status()));
  }
  ASSERT_EQ(cluster_.Holdings().size(), 1U);
  EXPECT_EQ(cluster_.Holdings()[0]->expires_ms, 110'000);
}

TEST_F(LiveClusterTest, ACallerThatHasLeftDoesNotWaitForEvents) {
  Sync("q");
  v1::AllocateRequest request = AskFor(epoch_, 1, 1);
  request.set_client_id(client_id_);
  request.set_after_sequence(99);
  EXPECT_TRUE(absl::IsCancelled(
      AnswerOf(cluster_, request, Limits(), [] { return true; }).status()));
}

// On a store that cannot be written as long as it is told so.
class UnstoredClusterTest : public LiveClusterTest {
 protected:
  UnstoredClusterTest()
      : LiveClusterTest(std::make_unique<FakeLedgerStore>(),
                        std::make_unique<FakeArchive>()) {
    Sync("q");
  }
  // As the client does: the write under way may fail it at once.
  void CommitAgain() {
    while (!Commit(1, 1, {1}).ok()) std::this_thread::yield();
  }
  // Until the journal is full.
  void FillJournal() {
    fake_.disk.failing = true;
    while (journal_.CheckCapacity().ok()) {
      ClusterEvent cluster_event;
      cluster_event.cluster = "c";
      cluster_event.what = Expired{{9, 0}};
      cluster_event.jobs = {{9, nullptr}};
      journal_.Append(std::move(cluster_event));
    }
  }

  // NOLINTNEXTLINE(*-static-cast-downcast): the constructor made it.
  FakeLedgerStore& fake_ = static_cast<FakeLedgerStore&>(*ledger_store_);
};

TEST_F(UnstoredClusterTest, EventIsAcknowledgedOnceStored) {
  fake_.disk.failing = true;
  EXPECT_TRUE(absl::IsUnavailable(Commit(1, 1, {1}).status()));
  EXPECT_TRUE(absl::IsUnavailable(Commit(1, 1, {1}).status())) << "once more";
  EXPECT_TRUE(absl::IsUnavailable(Ask(2, 2).status())) << "nor answers";
  fake_.disk.failing = false;
  CommitAgain();
  EXPECT_TRUE(Ask(2, 2).ok()) << "the same request";
  const std::lock_guard lock(fake_.mutex);
  EXPECT_EQ(fake_.jobs, (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(UnstoredClusterTest, AnswersDoNotWaitForADisk) {
  fake_.sync.paused = true;
  EXPECT_TRUE(Ask(2, 2).ok());
  {
    const std::lock_guard lock(fake_.mutex);
    EXPECT_EQ(fake_.jobs, std::vector<std::uint32_t>{2}) << "but for a write";
  }
  EXPECT_TRUE(absl::IsUnavailable(Commit(1, 1, {1}).status()));
  fake_.sync.paused = false;
  CommitAgain();
}

TEST_F(UnstoredClusterTest, FullJournalRefusesEvents) {
  FillJournal();
  EXPECT_TRUE(absl::IsUnavailable(Commit(1, 1, {1}).status()));
  v1::AllocateRequest request = AskFor(epoch_, 2, 1);
  *request.add_events()->mutable_commit() = CommitOf("", 1, 1, {1});
  request.set_after_sequence(1);
  const absl::Status status = AnswerOf(cluster_, request, Limits()).status();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("full"))
      << "at once, not at the deadline";
  EXPECT_TRUE(cluster_.Holdings().empty());
  fake_.disk.failing = false;
}

TEST_F(UnstoredClusterTest, EventsDoNotWaitForEverForTheStore) {
  fake_.disk.paused = true;
  EXPECT_TRUE(absl::IsUnavailable(Commit(1, 1, {1}).status()));
  fake_.disk.paused = false;
  CommitAgain();
}

TEST_F(UnstoredClusterTest, FullJournalDoesNotRecordExpiries) {
  ASSERT_TRUE(Ask(1, 2).ok());
  FillJournal();
  const Journal::Ticket full = journal_.last();
  EXPECT_TRUE(absl::IsUnavailable(Ask(2, 8, 60'000).status()));
  EXPECT_TRUE(cluster_.Holdings().empty()) << "job 1 expired";
  EXPECT_EQ(journal_.last(), full);
  fake_.disk.failing = false;
}

// As gang scheduling does: job 2 starts on the nodes of job 1, which is
// suspended after a Sync.
TEST_F(LiveClusterTest, SuspendingADisputedJobNeedsASync) {
  v1::SyncRequest sync =
      SmallSync({WholeHolding(1, {1, 2}), WholeHolding(2, {1, 2})});
  const auto synced = cluster_.Sync(sync);
  ASSERT_TRUE(synced.ok()) << synced.status();
  EXPECT_TRUE(cluster_.Holdings()[0]->disputed);
  v1::Event suspend = EventOf(synced->epoch(), 1, 1);
  suspend.set_suspended(true);
  const auto reply = cluster_.Apply(EventKind::kSuspend, suspend);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_TRUE(reply->sync_wanted());
  sync.mutable_holdings(0)->set_suspended(true);
  sync.set_sequence(1);
  ASSERT_TRUE(cluster_.Sync(sync).ok());
  EXPECT_FALSE(cluster_.Holdings()[0]->disputed);
}

TEST_F(LiveClusterTest, DisputeNeedsASync) {
  Sync("q");
  ASSERT_FALSE(Commit(1, 1, {1, 2})->sync_wanted());
  EXPECT_TRUE(Commit(2, 2, {2, 3})->sync_wanted());
  EXPECT_TRUE(Commit(3, 3, {5})->sync_wanted()) << "until there was one";
}

// As in a partition with OverSubscribe=FORCE:2.
TEST_F(LiveClusterTest, DisputesThatASyncDoesNotEndNeedNoneFor10Seconds) {
  const auto synced = cluster_.Sync(
      SmallSync({WholeHolding(1, {1, 2}), WholeHolding(2, {1, 2})}));
  ASSERT_TRUE(synced.ok()) << synced.status();
  const auto commit = [&](std::uint32_t job, std::int64_t now_ms) {
    const v1::Event event =
        CommitOf(synced->epoch(), job - 2, job, {3}, now_ms);
    return cluster_.Apply(EventKind::kCommit, event)->sync_wanted();
  };
  EXPECT_FALSE(commit(3, 1001));
  EXPECT_FALSE(commit(4, 1002)) << "a new dispute";
  EXPECT_FALSE(commit(5, 10'999));
  EXPECT_TRUE(commit(6, 11'000));
}

TEST_F(LiveClusterTest, StoredUnitsMustMatchTheNodes) {
  StoredCluster stored;
  stored.name = "c";
  stored.node_table = "n[1-8]";
  stored.capacity.assign(8, 4);
  StoredHolding holding;
  holding.job = {7, 0};
  holding.whole = false;
  holding.nodes = "n[1-3]";
  for (const std::vector<Units>& units :
       {std::vector<Units>{}, {1, 1}, {1, 0, 1}}) {
    holding.units = units;
    stored.holdings = {holding};
    LiveCluster cluster("c", setting_);
    EXPECT_TRUE(absl::IsDataLoss(cluster.Restore(stored, {}).status()))
        << units.size();
    EXPECT_FALSE(cluster.is_known());
  }
  holding.units = {1, 2, 1, 1};
  holding.nodes = "n[3,1-2,1]";
  stored.holdings = {holding};
  ASSERT_TRUE(cluster_.Restore(stored, {}).ok());
  ASSERT_EQ(cluster_.Holdings().size(), 1u);
  EXPECT_EQ(cluster_.Holdings()[0]->nodes, (std::vector<NodeId>{0, 1, 2}));
  EXPECT_EQ(cluster_.Holdings()[0]->units, (std::vector<Units>{1, 1, 1}));
}

TEST_F(LiveClusterTest, OnlyKnownClustersAreFound) {
  LiveClusters clusters(setting_);
  v1::SyncRequest bad = SmallSync();
  bad.clear_hostlist();
  EXPECT_FALSE(clusters.Sync(bad).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(clusters.Find("c").status()));
  ASSERT_TRUE(clusters.Sync(SmallSync()).ok());
  EXPECT_TRUE(clusters.Find("c").ok());
  EXPECT_TRUE(clusters.Find("").ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(clusters.Find("d").status()));
}

TEST_F(LiveClusterTest, RefusedClustersAreNotCounted) {
  LiveClusters clusters(setting_);
  v1::SyncRequest bad = SmallSync();
  bad.clear_hostlist();
  for (std::size_t i = 0; i <= LiveClusters::kMaxClusters; ++i) {
    bad.set_cluster("c" + std::to_string(i));
    EXPECT_TRUE(absl::IsInvalidArgument(clusters.Sync(bad).status())) << i;
  }
  EXPECT_TRUE(clusters.Sync(SmallSync()).ok());
  bad.set_cluster("c");
  EXPECT_FALSE(clusters.Sync(bad).ok());
  EXPECT_TRUE(clusters.Find("c").ok()) << "it was synced before";
}

}  // namespace
}  // namespace coolspan
