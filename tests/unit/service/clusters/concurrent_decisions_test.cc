// SPDX-License-Identifier: GPL-3.0-or-later
// What happens to a cluster while a decision is made.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "unit/service/clusters/gated_cluster_test.h"

namespace coolspan {
namespace {

using std::chrono::steady_clock;

TEST_F(GatedClusterTest, OtherCallsAreAnsweredDuringADecision) {
  std::future<Reply> reply = AskAside(1, 2);
  policy_->WaitForBegun(1);
  EXPECT_TRUE(CommitOther(1, {7}).ok());
  EXPECT_EQ(gated_.Status().nodes_free(), 7U);
  ASSERT_EQ(gated_.Holdings().size(), 1U);
  EXPECT_EQ(gated_.Holdings()[0]->nodes, std::vector<NodeId>{6});
  EXPECT_TRUE(gated_.is_known());
  gated_.Tick();
  const TimeLimits limits = Limits(std::chrono::seconds(10));
  const auto preview =
      gated_.Preview(AskFor(gated_epoch_, 9, 7), TakesFirstNodes(), limits);
  EXPECT_LT(steady_clock::now(), limits.answer_by) << "waited for it";
  ASSERT_TRUE(preview.ok()) << preview.status();
  EXPECT_EQ(preview->nodes(), Bitmap({1, 2, 3, 4, 5, 6, 8}))
      << "nothing is held before it is decided";
  EXPECT_EQ(preview->policy(), "first-nodes");
  v1::SyncRequest sync = SmallSync({WholeHolding(8, {8})});
  sync.set_sequence(1);
  const auto synced = gated_.Sync(sync);
  ASSERT_TRUE(synced.ok()) << synced.status();
  EXPECT_EQ(synced->epoch(), gated_epoch_);
  EXPECT_EQ(synced->disagreed_size(), 1) << "job 7";
  EXPECT_TRUE(Apply(EventKind::kRelease, EventOf(gated_epoch_, 2, 8)).ok());
  EXPECT_EQ(gated_.Status().nodes_free(), 8U);
  EXPECT_FALSE(IsReady(reply));
  EXPECT_EQ(policy_->begun(), 1);
  policy_->LetThrough(1);
  const Reply answer = reply.get();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->nodes(), Bitmap({1, 2}));
  EXPECT_EQ(gated_.Holdings().size(), 1U);
}

TEST_F(GatedClusterTest, DecidesAgainIfNodesAreTaken) {
  std::future<Reply> reply = AskAside(1, 2);
  policy_->WaitForBegun(1);
  EXPECT_TRUE(CommitOther(1, {2, 3}).ok());
  policy_->LetThrough(1);
  policy_->WaitForBegun(2);
  EXPECT_FALSE(IsReady(reply));
  EXPECT_EQ(gated_.Holdings().size(), 1U);
  policy_->LetThrough(2);
  const Reply answer = reply.get();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->nodes(), Bitmap({1, 4}));
  EXPECT_EQ(policy_->begun(), 2);
  const std::vector<Holding> holdings = HoldingsOf(gated_);
  ASSERT_EQ(holdings.size(), 2U);
  EXPECT_EQ(holdings[0].nodes, (std::vector<NodeId>{0, 3}));
  EXPECT_FALSE(holdings[1].disputed);
  ASSERT_TRUE(journal_.Wait(journal_.last()).ok());
  const auto decisions = archive_->DecisionsOf("c", 1, 9);
  ASSERT_EQ(decisions->size(), 1U) << "what was not held is not recorded";
  EXPECT_EQ(decisions->front().nodes, "n[1,4]");
}

TEST_F(GatedClusterTest, NodesTakenAfterTheDecisionLimitAreNotDecidedAnew) {
  ExpectNotDecidedAnewAfter(std::chrono::milliseconds(40),
                            {steady_clock::now() + std::chrono::seconds(60),
                             std::chrono::milliseconds(20)});
}

TEST_F(GatedClusterTest, TickDuringADecisionDoesNotAddTheIdleTimeBefore) {
  constexpr std::chrono::milliseconds kIdle{1000};
  std::this_thread::sleep_for(kIdle);
  std::future<Reply> reply = AskAside(1, 2);
  policy_->WaitForBegun(1);
  gated_.Tick();
  policy_->LetThrough(1);
  ASSERT_TRUE(reply.get().ok());
  const std::vector<Holding> holdings = HoldingsOf(gated_);
  ASSERT_EQ(holdings.size(), 1U);
  EXPECT_LT(holdings[0].expires_ms,
            1000 + Allocator::kTentativeMs + kIdle.count());
}

TEST_F(GatedClusterTest, TickAfterAnErrorDoesNotAddTheIdleTimeBefore) {
  constexpr std::chrono::milliseconds kIdle{1000};
  std::this_thread::sleep_for(kIdle);
  EXPECT_TRUE(absl::IsInvalidArgument(AskGated(1, 9).status()));
  gated_.Tick();
  policy_->LetThrough(1);
  ASSERT_TRUE(AskGated(2, 2).ok());
  EXPECT_LT(HoldingsOf(gated_)[0].expires_ms,
            1000 + Allocator::kTentativeMs + kIdle.count());
}

TEST_F(GatedClusterTest, DoesNotDecideAgainAfterTheDeadline) {
  ExpectNotDecidedAnewAfter(std::chrono::milliseconds(1100),
                            {steady_clock::now() + std::chrono::seconds(1),
                             std::chrono::seconds(60)});
  EXPECT_EQ(gated_.Holdings().size(), 1U);
}

TEST_F(GatedClusterTest, RunReleasedDuringItsDecisionGetsNothing) {
  std::future<Reply> reply = AskAside(1, 2);
  policy_->WaitForBegun(1);
  EXPECT_TRUE(Apply(EventKind::kRelease, EventOf(gated_epoch_, 1, 1)).ok());
  policy_->LetThrough(1);
  EXPECT_TRUE(absl::IsAborted(reply.get().status()));
  EXPECT_TRUE(gated_.Holdings().empty());
  policy_->LetThrough(2);
  EXPECT_TRUE(AskGated(2, 8).ok()) << "the next one has its turn";
}

TEST_F(GatedClusterTest, RunCommittedDuringItsDecisionKeepsItsNodes) {
  std::future<Reply> reply = AskAside(1, 2);
  policy_->WaitForBegun(1);
  EXPECT_TRUE(
      Apply(EventKind::kCommit, CommitOf(gated_epoch_, 1, 1, {5, 6})).ok());
  policy_->LetThrough(1);
  EXPECT_TRUE(absl::IsFailedPrecondition(reply.get().status()));
  ASSERT_EQ(gated_.Holdings().size(), 1U);
  EXPECT_EQ(gated_.Holdings()[0]->nodes, (std::vector<NodeId>{4, 5}));
}

TEST_F(GatedClusterTest, SyncWithAnotherTableDuringADecisionIsAnError) {
  std::future<Reply> reply = AskAside(1, 2);
  policy_->WaitForBegun(1);
  v1::SyncRequest sync = SmallSync();
  sync.set_hostlist(0, "n[8,1-7]");
  const auto synced = gated_.Sync(sync);
  ASSERT_TRUE(synced.ok()) << synced.status();
  EXPECT_NE(synced->epoch(), gated_epoch_);
  policy_->LetThrough(1);
  EXPECT_TRUE(absl::IsFailedPrecondition(reply.get().status()));
  EXPECT_TRUE(gated_.Holdings().empty());
}

TEST_F(GatedClusterTest, SyncOfAnotherClientDuringADecisionIsAnError) {
  std::future<Reply> reply = AskAside(1, 2);
  policy_->WaitForBegun(1);
  v1::SyncRequest sync = SmallSync();
  sync.set_client_id("q.2");
  EXPECT_TRUE(gated_.Sync(sync).ok());
  policy_->LetThrough(1);
  EXPECT_TRUE(absl::IsFailedPrecondition(reply.get().status()));
  EXPECT_TRUE(gated_.Holdings().empty());
}

TEST_F(GatedClusterTest, AllocateDecisionsRunOneAtATime) {
  std::future<Reply> first = AskAside(1, 2);
  policy_->WaitForBegun(1);
  std::future<Reply> second = AskAside(2, 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(policy_->begun(), 1);
  policy_->LetThrough(1);
  policy_->WaitForBegun(2);
  policy_->LetThrough(2);
  EXPECT_EQ(first.get()->nodes(), Bitmap({1, 2}));
  EXPECT_EQ(second.get()->nodes(), Bitmap({3, 4}));
}

TEST_F(GatedClusterTest, DecisionThatWaitsPastItsDeadlineIsUnavailable) {
  std::future<Reply> first = AskAside(1, 2);
  policy_->WaitForBegun(1);
  EXPECT_TRUE(absl::IsUnavailable(
      AnswerOf(gated_, AskFor(gated_epoch_, 2, 2),
               {steady_clock::now() + std::chrono::milliseconds(100),
                std::chrono::seconds(60)})
          .status()));
  policy_->LetThrough(1);
  EXPECT_TRUE(first.get().ok());
  EXPECT_EQ(gated_.Holdings().size(), 1U);
  EXPECT_EQ(policy_->begun(), 1);
}

TEST_F(GatedClusterTest, AClientThatHasLeftGetsNoNodes) {
  std::future<Reply> first = AskAside(1, 2);
  policy_->WaitForBegun(1);
  std::atomic<bool> has_left = false;
  auto second = std::async(std::launch::async, [&] {
    return AnswerOf(gated_, AskFor(gated_epoch_, 2, 2), Limits(),
                    [&has_left] { return has_left.load(); });
  });
  has_left = true;
  policy_->LetThrough(2);
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(absl::IsCancelled(second.get().status()));
  EXPECT_EQ(gated_.Holdings().size(), 1U);
}

TEST_F(GatedClusterTest, TooManyWaitingCallsAreRefused) {
  std::future<Reply> first = AskAside(1, 2);
  policy_->WaitForBegun(1);
  const v1::AllocateRequest request = AskFor(gated_epoch_, 2, 8);
  std::atomic<std::size_t> ended = 0;
  std::atomic<std::size_t> refused = 0;
  const auto ask = [&] {
    gated_.Allocate(request, Limits(), nullptr, [&](const Reply& reply) {
      if (absl::IsResourceExhausted(reply.status())) ++refused;
      ++ended;
    });
  };
  for (std::size_t i = 0; i < DecisionQueue::kMaxCalls; ++i) ask();
  EXPECT_EQ(ended, 0U);
  ask();
  EXPECT_EQ(refused, 1U);
  policy_->LetThrough(10'000);
  EXPECT_TRUE(first.get().ok());
  while (ended <= DecisionQueue::kMaxCalls) std::this_thread::yield();
  EXPECT_EQ(refused, 1U);
}

TEST_F(GatedClusterTest, AModeAppliesToCallsThatWait) {
  std::future<Reply> first = AskAside(1, 2);
  policy_->WaitForBegun(1);
  std::future<Reply> second = AskAside(2, 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(gated_.SetMode(PlacementMode::kOff).ok());
  policy_->LetThrough(1);
  EXPECT_TRUE(first.get()->placed()) << "it was being decided";
  EXPECT_EQ(second.get()->reason(), "mode=off");
  EXPECT_EQ(policy_->begun(), 1);
}

TEST_F(GatedClusterTest, WaitingCallsEndWithTheCluster) {
  std::future<Reply> first = AskAside(1, 2);
  policy_->WaitForBegun(1);
  std::future<Reply> second = AskAside(2, 2);
  EXPECT_TRUE(gated_.End("test", true).ok());
  policy_->LetThrough(1);
  EXPECT_TRUE(absl::IsFailedPrecondition(first.get().status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(second.get().status()));
  EXPECT_EQ(policy_->begun(), 1);
}

TEST_F(LiveClusterTest, CallsThatWaitForEventsEndWithTheDaemon) {
  std::vector<absl::Status> told;
  v1::AllocateRequest request;
  {
    LiveCluster cluster("c", setting_);
    const auto synced = cluster.Sync(SmallSync());
    ASSERT_TRUE(synced.ok());
    request = AskFor(synced->epoch(), 1, 2);
    request.set_after_sequence(99);
    cluster.Allocate(request, Limits(), nullptr,
                     [&told](const absl::StatusOr<v1::AllocateReply>& reply) {
                       told.push_back(reply.status());
                     });
  }
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].message(), "the daemon is shutting down");
}

// What became of an earlier attempt is known once it happens, not before.
TEST_F(GatedClusterTest, EarlierAttemptExpiresDuringADecision) {
  policy_->LetThrough(1);
  ASSERT_TRUE(AskGated(1, 2).ok());
  std::future<Reply> reply = AskAside(1, 2, 2);
  policy_->WaitForBegun(2);
  EXPECT_TRUE(CommitOther(1, {8}, 20'000).ok());
  policy_->LetThrough(2);
  ASSERT_TRUE(reply.get().ok());
  ASSERT_TRUE(journal_.Wait(journal_.last()).ok());
  const auto decisions = archive_->DecisionsOf("c", 1, 9);
  ASSERT_EQ(decisions->size(), 2U);
  for (const StoredDecision& decision : *decisions) {
    EXPECT_EQ(decision.outcome, decision.attempt == 1 ? "expired" : "tentative")
        << decision.id;
  }
}

TEST_F(LiveClusterTest, ConcurrentAllocatesGetDistinctNodes) {
  Sync("q");
  std::uint64_t sequence = 0;
  for (std::uint32_t round = 0; round < 10; ++round) {
    std::vector<std::future<absl::StatusOr<v1::AllocateReply>>> replies;
    for (std::uint32_t i = 0; i < 8; ++i) {
      replies.push_back(std::async(std::launch::async, [this, round, i] {
        return Ask(1 + 8 * round + i, 1);
      }));
    }
    std::set<std::string> bitmaps;
    for (auto& reply : replies) {
      const auto answer = reply.get();
      ASSERT_TRUE(answer.ok()) << answer.status();
      EXPECT_TRUE(answer->placed()) << answer->reason();
      EXPECT_TRUE(bitmaps.insert(answer->nodes()).second);
    }
    EXPECT_EQ(cluster_.Holdings().size(), 8U);
    for (std::uint32_t i = 0; i < 8; ++i) {
      v1::Event event = EventOf(epoch_, ++sequence, 1 + 8 * round + i);
      event.set_client_id(client_id_);
      ASSERT_TRUE(cluster_.Apply(EventKind::kRelease, event).ok());
    }
  }
}

// ThreadSanitizer reports what a call reads or writes without the lock.
TEST_F(LiveClusterTest, EveryCallAtTheSameTime) {
  constexpr std::uint32_t kJobs = 150;
  Sync("q");
  std::atomic<bool> ended = false;
  std::vector<std::future<void>> others;
  const auto repeat = [&](auto call) {
    others.push_back(std::async(std::launch::async, [&ended, call] {
      while (!ended) call();
    }));
  };
  repeat([this] {
    const auto reply =
        cluster_.Preview(AskFor(epoch_, 1000, 2), TakesFirstNodes(), Limits());
    EXPECT_TRUE(reply.ok() && reply->placed()) << reply.status();
  });
  repeat([this] {
    const v1::ClusterStatus status = cluster_.Status();
    EXPECT_GE(status.nodes_free() +
                  2 * (status.jobs_tentative() + status.jobs_committed()),
              8U);
    EXPECT_LE(status.jobs_committed(), 1U);
  });
  repeat([this] {
    cluster_.Tick();
    EXPECT_LE(cluster_.Holdings().size(), 2U);
    EXPECT_EQ(cluster_.redline_counts().guarded, 0U);
  });
  // The next job's decision and the events of the one before.
  std::uint64_t sequence = 0;
  const auto apply = [&](EventKind kind, v1::Event event) {
    event.set_client_id(client_id_);
    return cluster_.Apply(kind, event).status();
  };
  for (std::uint32_t job = 1; job <= kJobs; ++job) {
    auto next =
        std::async(std::launch::async, [this, job] { return Ask(job + 1, 2); });
    EXPECT_TRUE(Commit(++sequence, job, {7, 8}).ok());
    EXPECT_TRUE(
        apply(EventKind::kRelease, EventOf(epoch_, ++sequence, job)).ok());
    const auto reply = next.get();
    EXPECT_TRUE(reply.ok() && reply->placed()) << reply.status();
  }
  ended = true;
  for (std::future<void>& other : others) other.get();
  EXPECT_EQ(cluster_.Holdings().size(), 1U);
}

}  // namespace
}  // namespace coolspan
