// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

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

std::vector<Units> FreeUnits(const Ledger& ledger) {
  std::vector<Units> units;
  for (NodeId node = 0; node < ledger.node_count(); ++node) {
    units.push_back(ledger.free_units(node));
  }
  return units;
}

TEST(LedgerTest, StartsFree) {
  const Ledger ledger({4, 2, 1});
  EXPECT_EQ(ledger.node_count(), 3U);
  EXPECT_EQ(ledger.free_whole().Count(), 3U);
  EXPECT_EQ(ledger.availability()->free_shared_count, 3U);
  EXPECT_THAT(FreeUnits(ledger), ElementsAre(4, 2, 1));
  EXPECT_EQ(ledger.next_expiry_ms(), std::nullopt);
}

TEST(LedgerTest, AWholeHoldingTakesAllOfItsNodes) {
  Ledger ledger({4, 2, 1});
  EXPECT_THAT(ledger.RecordCommitted(Whole(7, {0, 2})), IsEmpty());
  EXPECT_THAT(FreeUnits(ledger), ElementsAre(0, 2, 0));
  EXPECT_THAT(ledger.free_whole().Members(), ElementsAre(1));
  EXPECT_THAT(ledger.free_shared().Members(), ElementsAre(1));
  ASSERT_NE(ledger.Find(7), nullptr);
  EXPECT_THAT(ledger.Find(7)->nodes, ElementsAre(0, 2));
  EXPECT_TRUE(ledger.Release(7));
  EXPECT_FALSE(ledger.Release(7));
  EXPECT_EQ(ledger.availability()->free_whole_count, 3U);
  EXPECT_THAT(FreeUnits(ledger), ElementsAre(4, 2, 1));
}

TEST(LedgerTest, SharedHoldingsFillANodeTogether) {
  Ledger ledger({4, 2});
  ledger.RecordCommitted(Shared(1, {0}, {3}));
  EXPECT_TRUE(ledger.Fits(Shared(2, {0, 1}, {1, 2})));
  EXPECT_FALSE(ledger.Fits(Shared(2, {0}, {2})));
  EXPECT_FALSE(ledger.Fits(Whole(2, {0})));
  EXPECT_THAT(ledger.RecordCommitted(Shared(2, {0, 1}, {1, 2})), IsEmpty());
  EXPECT_THAT(FreeUnits(ledger), ElementsAre(0, 0));
  EXPECT_TRUE(ledger.free_shared().Empty());
  ledger.Release(1);
  EXPECT_THAT(ledger.free_shared().Members(), ElementsAre(0));
  EXPECT_TRUE(ledger.free_whole().Empty());
}

TEST(LedgerTest, CommitDisputesAnOlderWholeHolding) {
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

TEST(LedgerTest, SharedCommitDisputesTheFewestHoldings) {
  Ledger ledger({4});
  ledger.RecordCommitted(Shared(1, {0}, {1}));
  ledger.RecordCommitted(Shared(2, {0}, {2}));
  ledger.RecordCommitted(Shared(3, {0}, {1}));
  EXPECT_THAT(ledger.RecordCommitted(Shared(4, {0}, {2})),
              ElementsAre(JobKey{1, 0}, JobKey{2, 0}));
  EXPECT_FALSE(ledger.Find(3)->disputed);
  EXPECT_THAT(FreeUnits(ledger), ElementsAre(1));
}

TEST(LedgerTest, CommitDropsTentativeHoldingsFirst) {
  Ledger ledger({2});
  ledger.RecordCommitted(Shared(1, {0}, {1}));
  ledger.HoldTentatively(Tentative(Shared(2, {0}, {1}), 100));
  EXPECT_THAT(ledger.RecordCommitted(Shared(3, {0}, {1})), IsEmpty());
  EXPECT_EQ(ledger.Find(2), nullptr);
  EXPECT_FALSE(ledger.Find(1)->disputed);
  EXPECT_EQ(ledger.next_expiry_ms(), std::nullopt);
}

TEST(LedgerTest, CommitReplacesTheHoldingOfItsJob) {
  Ledger ledger({1, 1, 1});
  ledger.HoldTentatively(Tentative(Whole(1, {0, 1}), 100));
  EXPECT_THAT(ledger.RecordCommitted(Whole(1, {1, 2})), IsEmpty());
  EXPECT_THAT(ledger.free_whole().Members(), ElementsAre(0));
  EXPECT_THAT(ledger.Expire(1000), IsEmpty());
  EXPECT_EQ(ledger.holding_count(), 1U);
}

TEST(LedgerTest, RepeatedCommitChangesNothing) {
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
  EXPECT_THAT(FreeUnits(ledger), ElementsAre(0, 3, 3));
}

TEST(LedgerTest, SuspendedHoldingsDoNotCount) {
  Ledger ledger({1, 1});
  ledger.RecordCommitted(Whole(1, {0, 1}));
  EXPECT_THAT(ledger.Suspend(1, true), IsEmpty());
  EXPECT_EQ(ledger.availability()->free_whole_count, 2U);
  EXPECT_THAT(ledger.RecordCommitted(Whole(2, {1})), IsEmpty());
  EXPECT_THAT(ledger.Suspend(1, false), ElementsAre(JobKey{2, 0}));
  EXPECT_TRUE(ledger.Find(2)->disputed);
  EXPECT_THAT(ledger.Find(2)->contested, ElementsAre(1));
  EXPECT_EQ(ledger.availability()->free_whole_count, 0U);
}

TEST(LedgerTest, ReleasesASuspendedHolding) {
  Ledger ledger({1});
  ledger.RecordCommitted(Whole(1, {0}));
  ledger.Suspend(1, true);
  ledger.RecordCommitted(Whole(2, {0}));
  EXPECT_TRUE(ledger.Release(1));
  EXPECT_EQ(ledger.availability()->free_whole_count, 0U);
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

std::vector<TimeMs> Ends(const Ledger& ledger) {
  std::vector<TimeMs> ends;
  for (NodeId node = 0; node < ledger.node_count(); ++node) {
    ends.push_back(ledger.availability()->ends[node]);
  }
  return ends;
}

Holding EndsAt(TimeMs end_ms, Holding holding) {
  holding.expected_end_ms = end_ms;
  return holding;
}

TEST(LedgerTest, NodesEndWithTheirLastJob) {
  Ledger ledger({4, 4, 4});
  ledger.RecordCommitted(EndsAt(50, Shared(1, {0, 1}, {1, 1})));
  ledger.RecordCommitted(EndsAt(30, Shared(2, {1}, {1})));
  EXPECT_THAT(Ends(ledger), ElementsAre(50, 50, kUnknownEnd));
  ledger.Release(1);
  EXPECT_THAT(Ends(ledger), ElementsAre(kUnknownEnd, 30, kUnknownEnd));
  ledger.RecordCommitted(EndsAt(40, Shared(2, {1}, {1})));
  EXPECT_THAT(Ends(ledger), ElementsAre(kUnknownEnd, 40, kUnknownEnd));
}

TEST(LedgerTest, AnUnknownEndHidesTheOthers) {
  Ledger ledger({4});
  ledger.RecordCommitted(EndsAt(50, Shared(1, {0}, {1})));
  ledger.RecordCommitted(Shared(2, {0}, {1}));
  EXPECT_THAT(Ends(ledger), ElementsAre(kUnknownEnd));
  ledger.Release(2);
  EXPECT_THAT(Ends(ledger), ElementsAre(50));
}

TEST(LedgerTest, SuspendedAndExpiredHoldingsHaveNoEnd) {
  Ledger ledger({1, 1});
  ledger.RecordCommitted(EndsAt(50, Whole(1, {0})));
  ledger.HoldTentatively(EndsAt(60, Tentative(Whole(2, {1}), 10)));
  EXPECT_THAT(Ends(ledger), ElementsAre(50, 60));
  ledger.Suspend(1, true);
  ledger.Expire(10);
  EXPECT_THAT(Ends(ledger), ElementsAre(kUnknownEnd, kUnknownEnd));
  ledger.Suspend(1, false);
  EXPECT_THAT(Ends(ledger), ElementsAre(50, kUnknownEnd));
}

TEST(LedgerTest, ResetForgetsAll) {
  Ledger ledger({1, 1});
  ledger.HoldTentatively(Tentative(Whole(1, {0}), 100));
  const std::uint64_t version = ledger.version();
  ledger.Reset({3, 3});
  EXPECT_GT(ledger.version(), version);
  EXPECT_EQ(ledger.holding_count(), 0U);
  EXPECT_THAT(FreeUnits(ledger), ElementsAre(3, 3));
  EXPECT_THAT(ledger.Expire(1000), IsEmpty());
}

// A ledger larger than any block of what decisions read, beside plain arrays.
class LargeLedgerTest : public ::testing::Test {
 protected:
  static constexpr NodeCount kNodes = 70'000;

  LargeLedgerTest() {
    for (NodeId node = 0; node < kNodes; ++node) {
      capacity_.push_back(1 + node % 5);
    }
    ledger_ = std::make_unique<Ledger>(capacity_);
    ledger_->TrackLoads(0.25F);
    used_.assign(kNodes, 0);
    jobs_.assign(kNodes, 0);
  }
  // Some nodes, near each other and around the ends of blocks.
  std::vector<NodeId> SomeNodes() {
    std::set<NodeId> nodes;
    constexpr NodeId kEdges[] = {0,      2048,   4096,   32'768,
                                 36'864, 65'536, 67'584, kNodes - 10};
    for (int i = 0; i < 3; ++i) {
      const NodeId from = random_() % 2 == 0
                              ? kEdges[random_() % std::size(kEdges)]
                              : static_cast<NodeId>(random_() % kNodes);
      const NodeId begin =
          from - std::min(from, static_cast<NodeId>(random_() % 5));
      for (NodeId node = begin; node < std::min(kNodes, begin + 8); ++node) {
        nodes.insert(node);
      }
    }
    return {nodes.begin(), nodes.end()};
  }
  void Hold(std::uint32_t job_id, bool whole) {
    Holding holding = Tentative(Whole(job_id, SomeNodes()), job_id);
    holding.whole = whole;
    if (!whole) holding.units.assign(holding.nodes.size(), 1);
    bool fits = true;
    for (const NodeId node : holding.nodes) {
      fits &= whole ? jobs_[node] == 0 : used_[node] < capacity_[node];
    }
    ASSERT_EQ(ledger_->Fits(holding), fits);
    if (!fits) return;
    Change(holding, 1);
    held_[job_id] = holding;
    ledger_->HoldTentatively(std::move(holding));
  }
  void Change(const Holding& holding, int sign) {
    for (const NodeId node : holding.nodes) {
      const int units = holding.whole ? static_cast<int>(capacity_[node]) : 1;
      used_[node] += static_cast<Units>(sign * units);
      jobs_[node] += sign;
    }
  }
  void Release(std::uint32_t job_id) {
    const auto held = held_.find(job_id);
    ASSERT_EQ(ledger_->Release(job_id), held != held_.end());
    if (held == held_.end()) return;
    Change(held->second, -1);
    held_.erase(held);
  }
  void ExpectSame(const Availability& availability) const {
    NodeSet free_whole(kNodes);
    NodeSet free_shared(kNodes);
    for (NodeId node = 0; node < kNodes; ++node) {
      if (jobs_[node] == 0) free_whole.Insert(node);
      if (used_[node] < capacity_[node]) free_shared.Insert(node);
      ASSERT_EQ(availability.free_units[node], capacity_[node] - used_[node])
          << node;
      const NodeLoad& load = availability.loads[node];
      const float share =
          static_cast<float>(used_[node]) / static_cast<float>(capacity_[node]);
      ASSERT_NEAR(load.compute, 0.75F * share, 1e-5) << node;
      ASSERT_NEAR(load.communicate, 0.25F * share, 1e-5) << node;
    }
    EXPECT_EQ(availability.free_whole, free_whole);
    EXPECT_EQ(availability.free_shared, free_shared);
    EXPECT_EQ(availability.free_whole_count, free_whole.Count());
    EXPECT_EQ(availability.free_shared_count, free_shared.Count());
  }

  std::mt19937 random_{5};
  std::vector<Units> capacity_;
  std::unique_ptr<Ledger> ledger_;
  std::vector<Units> used_;
  std::vector<int> jobs_;
  std::map<std::uint32_t, Holding> held_;
};

TEST_F(LargeLedgerTest, CountsAsPlainArrays) {
  for (std::uint32_t job_id = 1; job_id <= 2000; ++job_id) {
    Hold(job_id, random_() % 4 == 0);
    if (random_() % 3 == 0) {
      Release(1 + static_cast<std::uint32_t>(random_() % job_id));
    }
  }
  ASSERT_GT(held_.size(), 100U);
  ExpectSame(*ledger_->availability());
  // Job n expires at n.
  const CopyOnWrite<Availability> before = ledger_->availability();
  const std::uint32_t last = held_.rbegin()->first;
  const CopyOnWrite<Availability> without =
      ledger_->AvailabilityWithout(1000, last);
  ExpectSame(*ledger_->availability());
  const auto arrays = std::pair(used_, jobs_);
  for (const auto& [job_id, holding] : held_) {
    if (job_id <= 1000 || job_id == last) Change(holding, -1);
  }
  ExpectSame(*without);
  std::tie(used_, jobs_) = arrays;
  ledger_->Expire(kNodes);
  ExpectSame(*before);
  EXPECT_EQ(ledger_->availability()->free_whole, NodeSet::All(kNodes));
}

TEST_F(LargeLedgerTest, ChangeKeepsDistantBlocksShared) {
  const CopyOnWrite<Availability> before = ledger_->availability();
  ledger_->HoldTentatively(Tentative(Whole(1, {40'000}), 100));
  const Availability& after = *ledger_->availability();
  EXPECT_FALSE(ledger_->availability().IsSharedWith(before));
  EXPECT_EQ(after.free_whole.block(0).data(),
            before->free_whole.block(0).data());
  EXPECT_NE(after.free_whole.block(1).data(),
            before->free_whole.block(1).data());
  std::size_t units_copied = 0;
  for (std::size_t b = 0; b < after.free_units.block_count(); ++b) {
    units_copied += !after.free_units.SharesBlock(b, before->free_units);
  }
  EXPECT_EQ(units_copied, 1U);
  std::size_t loads_copied = 0;
  for (std::size_t b = 0; b < after.loads.block_count(); ++b) {
    loads_copied += !after.loads.SharesBlock(b, before->loads);
  }
  EXPECT_EQ(loads_copied, 1U);
  EXPECT_EQ(after.capacity, before->capacity);
  EXPECT_TRUE(before->free_whole.Contains(40'000));
  EXPECT_EQ(before->loads[40'000], NodeLoad());
}

}  // namespace
}  // namespace coolspan
