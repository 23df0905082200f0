// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Holding Whole(std::uint32_t job_id, std::vector<NodeId> nodes) {
  Holding holding;
  holding.job = {job_id, 0};
  holding.committed = true;
  holding.nodes = std::move(nodes);
  return holding;
}

Holding Shared(std::uint32_t job_id, std::vector<NodeId> nodes,
               std::vector<Units> units) {
  Holding holding = Whole(job_id, std::move(nodes));
  holding.whole = false;
  holding.units = std::move(units);
  return holding;
}

Holding Tentative(Holding holding, TimeMs expires_ms) {
  holding.committed = false;
  holding.expires_ms = expires_ms;
  return holding;
}

TEST(LedgerTest, StartsFree) {
  const Ledger ledger({4, 2, 1});
  EXPECT_EQ(ledger.node_count(), 3U);
  EXPECT_EQ(ledger.free_whole().Count(), 3U);
  EXPECT_EQ(ledger.free_shared_count(), 3U);
  EXPECT_THAT(ledger.free_units(), ElementsAre(4, 2, 1));
  EXPECT_EQ(ledger.next_expiry_ms(), std::nullopt);
}

TEST(LedgerTest, AWholeHoldingTakesAllOfItsNodes) {
  Ledger ledger({4, 2, 1});
  EXPECT_THAT(ledger.RecordCommitted(Whole(7, {0, 2})), IsEmpty());
  EXPECT_THAT(ledger.free_units(), ElementsAre(0, 2, 0));
  EXPECT_THAT(ledger.free_whole().Members(), ElementsAre(1));
  EXPECT_THAT(ledger.free_shared().Members(), ElementsAre(1));
  ASSERT_NE(ledger.Find(7), nullptr);
  EXPECT_THAT(ledger.Find(7)->nodes, ElementsAre(0, 2));
  EXPECT_TRUE(ledger.Release(7));
  EXPECT_FALSE(ledger.Release(7));
  EXPECT_EQ(ledger.free_whole_count(), 3U);
  EXPECT_THAT(ledger.free_units(), ElementsAre(4, 2, 1));
}

TEST(LedgerTest, SharedHoldingsFillANodeTogether) {
  Ledger ledger({4, 2});
  ledger.RecordCommitted(Shared(1, {0}, {3}));
  EXPECT_TRUE(ledger.Fits(Shared(2, {0, 1}, {1, 2})));
  EXPECT_FALSE(ledger.Fits(Shared(2, {0}, {2})));
  EXPECT_FALSE(ledger.Fits(Whole(2, {0})));
  EXPECT_THAT(ledger.RecordCommitted(Shared(2, {0, 1}, {1, 2})), IsEmpty());
  EXPECT_THAT(ledger.free_units(), ElementsAre(0, 0));
  EXPECT_TRUE(ledger.free_shared().Empty());
  ledger.Release(1);
  EXPECT_THAT(ledger.free_shared().Members(), ElementsAre(0));
  EXPECT_TRUE(ledger.free_whole().Empty());
}

TEST(LedgerTest, AFactPushesAnOlderWholeHoldingAside) {
  Ledger ledger({1, 1, 1, 1});
  ledger.RecordCommitted(Whole(1, {0, 1, 2}));
  EXPECT_THAT(ledger.RecordCommitted(Whole(2, {1, 3})),
              ElementsAre(JobKey{1, 0}));
  const Holding* older = ledger.Find(1);
  EXPECT_TRUE(older->disputed);
  EXPECT_THAT(older->nodes, ElementsAre(0, 2));
  EXPECT_THAT(older->contested, ElementsAre(1));
  EXPECT_FALSE(ledger.Find(2)->disputed);
  ledger.Release(1);
  EXPECT_THAT(ledger.free_whole().Members(), ElementsAre(0, 2));
}

TEST(LedgerTest, ASharedFactPushesAsideAsFewAsItTakes) {
  Ledger ledger({4});
  ledger.RecordCommitted(Shared(1, {0}, {1}));
  ledger.RecordCommitted(Shared(2, {0}, {2}));
  ledger.RecordCommitted(Shared(3, {0}, {1}));
  EXPECT_THAT(ledger.RecordCommitted(Shared(4, {0}, {2})),
              ElementsAre(JobKey{1, 0}, JobKey{2, 0}));
  EXPECT_FALSE(ledger.Find(3)->disputed);
  EXPECT_THAT(ledger.free_units(), ElementsAre(1));
}

TEST(LedgerTest, AFactDropsTentativeHoldingsFirst) {
  Ledger ledger({2});
  ledger.RecordCommitted(Shared(1, {0}, {1}));
  ledger.HoldTentatively(Tentative(Shared(2, {0}, {1}), 100));
  EXPECT_THAT(ledger.RecordCommitted(Shared(3, {0}, {1})), IsEmpty());
  EXPECT_EQ(ledger.Find(2), nullptr);
  EXPECT_FALSE(ledger.Find(1)->disputed);
  EXPECT_EQ(ledger.next_expiry_ms(), std::nullopt);
}

TEST(LedgerTest, AFactReplacesTheJobsOwnHolding) {
  Ledger ledger({1, 1, 1});
  ledger.HoldTentatively(Tentative(Whole(1, {0, 1}), 100));
  EXPECT_THAT(ledger.RecordCommitted(Whole(1, {1, 2})), IsEmpty());
  EXPECT_THAT(ledger.free_whole().Members(), ElementsAre(0));
  EXPECT_THAT(ledger.Expire(1000), IsEmpty());
  EXPECT_EQ(ledger.holding_count(), 1U);
}

TEST(LedgerTest, StatingTheSameAgainChangesNothing) {
  Ledger ledger({1, 1});
  ledger.RecordCommitted(Whole(1, {0}));
  const std::uint64_t version = ledger.version();
  EXPECT_THAT(ledger.RecordCommitted(Whole(1, {0})), IsEmpty());
  EXPECT_EQ(ledger.version(), version);
}

TEST(LedgerTest, CutsUnitsToTheCapacity) {
  Ledger ledger({4, 4, 4});
  ledger.RecordCommitted(Shared(1, {0, 1, 2}, {9, 0}));
  EXPECT_THAT(ledger.Find(1)->units, ElementsAre(4, 1, 1));
  EXPECT_THAT(ledger.free_units(), ElementsAre(0, 3, 3));
}

TEST(LedgerTest, SuspendedHoldingsDoNotCount) {
  Ledger ledger({1, 1});
  ledger.RecordCommitted(Whole(1, {0, 1}));
  EXPECT_THAT(ledger.Suspend(1, true), IsEmpty());
  EXPECT_EQ(ledger.free_whole_count(), 2U);
  EXPECT_THAT(ledger.RecordCommitted(Whole(2, {1})), IsEmpty());
  EXPECT_THAT(ledger.Suspend(1, false), ElementsAre(JobKey{2, 0}));
  EXPECT_TRUE(ledger.Find(2)->disputed);
  EXPECT_THAT(ledger.Find(2)->contested, ElementsAre(1));
  EXPECT_EQ(ledger.free_whole_count(), 0U);
}

TEST(LedgerTest, ReleasesASuspendedHolding) {
  Ledger ledger({1});
  ledger.RecordCommitted(Whole(1, {0}));
  ledger.Suspend(1, true);
  ledger.RecordCommitted(Whole(2, {0}));
  EXPECT_TRUE(ledger.Release(1));
  EXPECT_EQ(ledger.free_whole_count(), 0U);
}

TEST(LedgerTest, TentativeHoldingsExpireInOrder) {
  Ledger ledger({1, 1, 1});
  ledger.HoldTentatively(Tentative(Whole(1, {0}), 300));
  ledger.HoldTentatively(Tentative(Whole(2, {1}), 100));
  ledger.HoldTentatively(Tentative(Whole(3, {2}), 200));
  EXPECT_EQ(ledger.next_expiry_ms(), 100);
  EXPECT_THAT(ledger.Expire(99), IsEmpty());
  EXPECT_THAT(ledger.Expire(200), ElementsAre(JobKey{2, 0}, JobKey{3, 0}));
  EXPECT_THAT(ledger.free_whole().Members(), ElementsAre(1, 2));
  ledger.RecordCommitted(Whole(1, {0}));
  EXPECT_THAT(ledger.Expire(1000), IsEmpty());
}

TEST(LedgerTest, ResetForgetsAll) {
  Ledger ledger({1, 1});
  ledger.HoldTentatively(Tentative(Whole(1, {0}), 100));
  const std::uint64_t version = ledger.version();
  ledger.Reset({3, 3});
  EXPECT_GT(ledger.version(), version);
  EXPECT_EQ(ledger.holding_count(), 0U);
  EXPECT_THAT(ledger.free_units(), ElementsAre(3, 3));
  EXPECT_THAT(ledger.Expire(1000), IsEmpty());
}

}  // namespace
}  // namespace coolspan
