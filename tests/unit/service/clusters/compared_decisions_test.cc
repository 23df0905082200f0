// SPDX-License-Identifier: GPL-3.0-or-later
// Decisions in a room are compared with other choices.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "unit/service/clusters/gated_cluster_test.h"
#include "unit/service/fake_stores.h"

namespace coolspan {
namespace {

class GatedRoomTest : public GatedClusterTest {
 protected:
  ClusterInRoom in_room_{gated_setup_, journal_, times_};
  LiveCluster& room_ = in_room_.cluster;
};

TEST_F(GatedRoomTest, AJobThatFitsNoLongerHasNoComparison) {
  const std::string epoch = room_.Sync(SmallSync())->epoch();
  auto reply = std::async(std::launch::async, [&] {
    return AnswerOf(room_, AskFor(epoch, 1, 2), Limits());
  });
  policy_->WaitForBegun(1);
  const v1::Event other = CommitOf(epoch, 1, 7, {2, 3, 4, 5, 6, 7, 8});
  EXPECT_TRUE(room_.Apply(EventKind::kCommit, other).ok());
  policy_->LetThrough(1);
  const Reply answer = reply.get();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_FALSE(answer->placed());
  ASSERT_TRUE(journal_.Wait(journal_.last()).ok());
  const auto decisions = archive_->DecisionsOf("c", 1, 9);
  ASSERT_EQ(decisions->size(), 1U);
  EXPECT_TRUE(decisions->front().facts.empty());
}

TEST_F(GatedRoomTest, AJobInARoomHasAComparison) {
  const std::string epoch = room_.Sync(SmallSync())->epoch();
  policy_->LetThrough(1);
  ASSERT_TRUE(AnswerOf(room_, AskFor(epoch, 1, 2), Limits()).ok());
  ASSERT_TRUE(journal_.Wait(journal_.last()).ok());
  EXPECT_FALSE(archive_->DecisionsOf("c", 1, 9)->front().facts.empty());
}

// In a room, on a store that can be stopped.
class StoppedStoreTest : public LiveClusterTest {
 protected:
  StoppedStoreTest()
      : LiveClusterTest(std::make_unique<FakeLedgerStore>(),
                        std::make_unique<FakeArchive>()) {}
  ~StoppedStoreTest() override { fake_.disk.paused = false; }

  // NOLINTNEXTLINE(*-static-cast-downcast): the constructor made it.
  FakeArchive& fake_ = static_cast<FakeArchive&>(*archive_);
  ClusterInRoom in_room_{setup_, journal_, times_};
  LiveCluster& room_ = in_room_.cluster;
};

TEST_F(StoppedStoreTest, QueuedDecisionsBeyondALimitAreNotCompared) {
  constexpr std::uint64_t kQueued = 66;
  const std::string epoch = room_.Sync(SmallSync())->epoch();
  fake_.disk.paused = true;
  ASSERT_TRUE(AnswerOf(room_, AskFor(epoch, 1, 2), Limits()).ok());
  while (journal_.waiting() > 0) std::this_thread::yield();
  for (std::uint64_t attempt = 1; attempt <= kQueued; ++attempt) {
    ASSERT_TRUE(AnswerOf(room_, AskFor(epoch, 2, 2, attempt), Limits()).ok());
  }
  fake_.disk.paused = false;
  ASSERT_TRUE(journal_.Wait(journal_.last()).ok());
  const std::lock_guard lock(fake_.mutex);
  ASSERT_EQ(fake_.decisions.size(), kQueued + 1);
  const auto& facts = fake_.decisions.back().facts;
  EXPECT_EQ(
      std::count(facts.begin(), facts.end(),
                 std::pair<std::string, std::string>("compared", "no time")),
      1);
}

}  // namespace
}  // namespace coolspan
