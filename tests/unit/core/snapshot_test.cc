// SPDX-License-Identifier: GPL-3.0-or-later
// Decisions on snapshots: what a snapshot keeps, and what becomes of a decision
// that was made on one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/allocator.h"
#include "mesh_machine.h"
#include "room_machine.h"
#include "unit/core/allocate_calls.h"
#include "unit/core/line_machine.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// All of a snapshot, by value.
struct Contents {
  explicit Contents(const MachineSnapshot& snapshot)
      : free_whole(snapshot.availability->free_whole.Members()),
        free_shared(snapshot.availability->free_shared.Members()),
        free_whole_count(snapshot.availability->free_whole_count),
        free_shared_count(snapshot.availability->free_shared_count),
        capacity(*snapshot.availability->capacity),
        total_units(snapshot.availability->total_units),
        ledger_version(snapshot.ledger_version),
        taken_ms(snapshot.taken_ms) {
    const Availability& availability = *snapshot.availability;
    for (std::size_t i = 0; i < availability.free_units.size(); ++i) {
      free_units.push_back(availability.free_units[i]);
    }
    for (std::size_t i = 0; i < availability.loads.size(); ++i) {
      loads.push_back(availability.loads[i]);
    }
    if (snapshot.correction != nullptr) bias_k = snapshot.correction->bias_k;
  }
  friend bool operator==(const Contents&, const Contents&) = default;

  std::vector<NodeId> free_whole;
  std::vector<NodeId> free_shared;
  NodeCount free_whole_count;
  NodeCount free_shared_count;
  std::vector<Units> capacity;
  std::uint64_t total_units;
  std::uint64_t ledger_version;
  TimeMs taken_ms;
  std::vector<Units> free_units;
  std::vector<NodeLoad> loads;
  std::vector<double> bias_k;
};

// Eight nodes in a row in a room of two zones, four units each.
class SnapshotTest : public ::testing::Test {
 protected:
  static std::shared_ptr<const Machine> Machine8() {
    return InRoom(*MeshMachine(FlatGrid({8})),
                  RoomDescription(8, 2, {0.01, 0, 0.015625, 0.0078125}));
  }

  DecisionPtr Allocate(Allocator& allocator, const AllocateCall& call) {
    Budget budget;
    const auto answer = allocator.Allocate(call, {policy_}, budget);
    EXPECT_TRUE(answer.ok()) << answer.status();
    return answer.value_or(nullptr);
  }
  std::vector<NodeId> Placed(const AllocateCall& call) {
    const DecisionPtr decision = Allocate(allocator_, call);
    return decision == nullptr ? std::vector<NodeId>()
                               : decision->allocation.nodes;
  }
  // What is decided of the call now, between Begin and Hold.
  Decision Decided(const AllocateCall& call) {
    const auto begun = allocator_.Begin(call);
    EXPECT_TRUE(begun.ok()) << begun.status();
    EXPECT_EQ(*begun, nullptr);
    Budget budget;
    return Decide(allocator_.SnapshotFor(call), call, {policy_}, budget)
        .value();
  }
  std::vector<NodeId> Held(std::uint32_t job_id) const {
    const Holding* const held = allocator_.ledger().Find(job_id);
    return held == nullptr ? std::vector<NodeId>() : held->nodes;
  }

  const LowestFree policy_{};
  const std::shared_ptr<const Machine> machine_ = Machine8();
  Allocator allocator_{machine_, std::vector<Units>(8, 4)};
};

TEST_F(SnapshotTest, LaterChangesDoNotAffectASnapshot) {
  EXPECT_THAT(Placed(Ask(1, 2)), ElementsAre(0, 1));
  allocator_.Commit(Runs(2, {4, 5}), 1);
  allocator_.CorrectRoom(
      std::make_shared<const InletCorrection>(InletCorrection{1, {0.25, 0.5}}));
  std::vector<MachineSnapshot> taken;
  std::vector<Contents> contents;
  const auto take = [&] {
    taken.push_back(allocator_.Snapshot());
    contents.emplace_back(taken.back());
  };
  take();
  EXPECT_THAT(contents[0].free_whole, ElementsAre(2, 3, 6, 7));
  EXPECT_EQ(contents[0].loads[0].compute + contents[0].loads[0].communicate, 1);
  EXPECT_EQ(contents[0].bias_k, (std::vector<double>{0.25, 0.5}));
  Placed(Ask(3, 1));
  take();
  allocator_.Commit(Runs(3, {2}), 2);
  Allocator::Fact shared = Runs(4, {6});
  shared.whole = false;
  shared.units = {3};
  allocator_.Commit(shared, 2);
  take();
  allocator_.Suspend({2, 0}, true, 3);
  allocator_.Suspend({2, 0}, false, 3);
  allocator_.Resize(Runs(2, {5}), 3);
  take();
  allocator_.Release({1, 0}, 4);
  allocator_.AdvanceTo(20'000);
  take();
  allocator_.Sync(std::vector<Units>(8, 2), {Runs(9, {0, 7})}, 30'000);
  take();
  allocator_.CorrectRoom(
      std::make_shared<const InletCorrection>(InletCorrection{2, {1, 2}}));
  allocator_.SetClock(5);
  Placed(Ask(10, 3));
  for (std::size_t i = 0; i < taken.size(); ++i) {
    EXPECT_EQ(Contents(taken[i]), contents[i]) << i;
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(contents[i], contents[j]) << i << " and " << j;
    }
  }
}

TEST_F(SnapshotTest, DecisionsOnASnapshotIgnoreLaterChanges) {
  allocator_.Commit(Runs(2, {0, 5}), 1);
  const AllocateCall call = Ask(3, 3);
  const MachineSnapshot snapshot = allocator_.SnapshotFor(call);
  Budget budget;
  const Decision before = Decide(snapshot, call, {policy_}, budget).value();
  allocator_.Commit(Runs(4, {1, 2, 3}), 2);
  allocator_.CorrectRoom(
      std::make_shared<const InletCorrection>(InletCorrection{2, {5, 5}}));
  const Decision after = Decide(snapshot, call, {policy_}, budget).value();
  EXPECT_THAT(before.allocation.nodes, ElementsAre(1, 2, 3));
  EXPECT_EQ(after.allocation.nodes, before.allocation.nodes);
  EXPECT_EQ(WhyText(after, after.trace), WhyText(before, before.trace));
  EXPECT_NE(WhyText(before, before.trace).find("peak inlet after "),
            std::string::npos);
}

TEST_F(SnapshotTest, BeginDecideAndHoldEqualAllocate) {
  Allocator whole(machine_, std::vector<Units>(8, 4));
  const auto expect_same = [&](const AllocateCall& call) {
    Budget unlimited;
    const auto in_one_step = whole.Allocate(call, {policy_}, unlimited);
    const auto begun = allocator_.Begin(call);
    ASSERT_EQ(begun.status(), in_one_step.status());
    if (!begun.ok()) return;
    const DecisionPtr& expected = *in_one_step;
    DecisionPtr answer = *begun;
    if (answer == nullptr) {
      const std::uint64_t version = allocator_.ledger().version();
      Budget budget;
      Decision decision =
          Decide(allocator_.SnapshotFor(call), call, {policy_}, budget).value();
      EXPECT_EQ(allocator_.ledger().version(), version) << "nothing is held";
      const auto held = allocator_.Hold(call, std::move(decision));
      ASSERT_TRUE(held.ok()) << held.status();
      answer = *held;
    }
    ASSERT_NE(answer, nullptr);
    EXPECT_EQ(answer->id, expected->id);
    EXPECT_EQ(answer->job, expected->job);
    EXPECT_EQ(answer->attempt, expected->attempt);
    EXPECT_EQ(answer->placed, expected->placed);
    EXPECT_EQ(answer->allocation, expected->allocation);
    EXPECT_EQ(answer->reason, expected->reason);
    EXPECT_EQ(answer->shortage, expected->shortage);
    EXPECT_EQ(answer->available, expected->available);
    EXPECT_EQ(answer->is_repeat, expected->is_repeat);
    EXPECT_EQ(answer->ledger_version, expected->ledger_version);
    EXPECT_EQ(answer->decided_ms, expected->decided_ms);
    EXPECT_EQ(WhyText(*answer, answer->trace),
              WhyText(*expected, expected->trace));
    EXPECT_EQ(Contents(allocator_.Snapshot()), Contents(whole.Snapshot()));
  };
  expect_same(Ask(1, 3));
  expect_same(Ask(1, 3));
  expect_same(Ask(2, 6));
  expect_same(At(5, Ask(1, 6, 2)));
  AllocateCall share = At(6, Ask(3, 1));
  share.request.whole = false;
  share.request.demand = {1, 2, 6};
  expect_same(share);
  expect_same(At(20'000, Ask(4, 8)));
  expect_same(At(20'001, Ask(1, 6, 2)));
}

TEST_F(SnapshotTest, SnapshotForOmitsReplacedAndExpiredHoldings) {
  EXPECT_THAT(Placed(Ask(1, 2)), ElementsAre(0, 1));
  EXPECT_THAT(Placed(At(5000, Ask(2, 2))), ElementsAre(2, 3));
  allocator_.Commit(Runs(3, {4}), 5000);
  const std::uint64_t version = allocator_.ledger().version();
  const auto free_for = [this](const AllocateCall& call) {
    return allocator_.SnapshotFor(call).availability->free_whole.Members();
  };
  EXPECT_THAT(free_for(At(5000, Ask(1, 1, 2))), ElementsAre(0, 1, 5, 6, 7));
  EXPECT_THAT(free_for(At(5000, Ask(9, 1))), ElementsAre(5, 6, 7));
  EXPECT_THAT(free_for(At(10'000, Ask(9, 1))), ElementsAre(0, 1, 5, 6, 7));
  EXPECT_THAT(free_for(At(10'000, Ask(1, 1, 2))), ElementsAre(0, 1, 5, 6, 7));
  EXPECT_THAT(free_for(At(10'000, Ask(2, 1, 2))),
              ElementsAre(0, 1, 2, 3, 5, 6, 7));
  // Committed nodes are free for a later run of the job alone.
  EXPECT_THAT(free_for(At(5000, Ask(3, 1, 2))), ElementsAre(5, 6, 7));
  AllocateCall later = At(5000, Ask(3, 1));
  later.job.restart = 1;
  EXPECT_THAT(free_for(later), ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(allocator_.ledger().version(), version);
  EXPECT_EQ(allocator_.ledger().holding_count(), 3U);
}

TEST_F(SnapshotTest, DecidesAgainIfAnEventTookNodes) {
  EXPECT_THAT(Placed(Ask(1, 2)), ElementsAre(0, 1));
  const AllocateCall again = Ask(1, 3, 2);
  Decision decision = Decided(again);
  EXPECT_THAT(decision.allocation.nodes, ElementsAre(0, 1, 2));
  EXPECT_THAT(Held(1), ElementsAre(0, 1)) << "of an attempt that is decided";
  allocator_.Commit(Runs(7, {2}), 1);
  const auto held = allocator_.Hold(again, std::move(decision));
  ASSERT_TRUE(held.ok()) << held.status();
  EXPECT_EQ(*held, nullptr);
  const Holding* const kept = allocator_.ledger().Find(1);
  ASSERT_NE(kept, nullptr);
  EXPECT_THAT(kept->nodes, ElementsAre(0, 1));
  EXPECT_EQ(kept->attempt, 1U);
  EXPECT_FALSE(kept->committed);
  EXPECT_EQ(kept->expires_ms, Allocator::kTentativeMs);
  EXPECT_EQ(allocator_.ledger().next_expiry_ms(), Allocator::kTentativeMs);
  // Anew without another Begin.
  Budget budget;
  Decision anew =
      Decide(allocator_.SnapshotFor(again), again, {policy_}, budget).value();
  EXPECT_THAT(anew.allocation.nodes, ElementsAre(0, 1, 3));
  EXPECT_NE(*allocator_.Hold(again, std::move(anew)), nullptr);
  EXPECT_THAT(Held(1), ElementsAre(0, 1, 3));
  EXPECT_EQ(allocator_.ledger().Find(1)->attempt, 2U);
}

TEST_F(SnapshotTest, DecidesAgainIfAnEventTookUnits) {
  AllocateCall share = Ask(1, 1);
  share.request.whole = false;
  share.request.demand = {1, 1, 3};
  Decision decision = Decided(share);
  EXPECT_THAT(decision.allocation.nodes, ElementsAre(0));
  Allocator::Fact fact = Runs(7, {0});
  fact.whole = false;
  fact.units = {2};
  allocator_.Commit(fact, 1);
  EXPECT_EQ(*allocator_.Hold(share, std::move(decision)), nullptr);
  EXPECT_THAT(Held(1), IsEmpty());
}

TEST_F(SnapshotTest, EventsOnOtherNodesDoNotMatter) {
  const AllocateCall call = Ask(1, 2);
  Decision decision = Decided(call);
  allocator_.Commit(Runs(7, {5, 6}), 1);
  const auto held = allocator_.Hold(call, std::move(decision));
  ASSERT_TRUE(held.ok()) << held.status();
  ASSERT_NE(*held, nullptr);
  EXPECT_THAT((*held)->allocation.nodes, ElementsAre(0, 1));
  EXPECT_THAT(Held(1), ElementsAre(0, 1));
}

TEST_F(SnapshotTest, RunReleasedDuringItsDecisionGetsNothing) {
  const AllocateCall call = Ask(1, 2);
  Decision decision = Decided(call);
  allocator_.Release({1, 0}, 1);
  EXPECT_TRUE(
      absl::IsAborted(allocator_.Hold(call, std::move(decision)).status()));
  EXPECT_THAT(Held(1), IsEmpty());
  // One that held nodes of an earlier attempt, too.
  Placed(Ask(2, 2));
  decision = Decided(Ask(2, 3, 2));
  EXPECT_TRUE(allocator_.Release({2, 0}, 1));
  EXPECT_TRUE(absl::IsAborted(
      allocator_.Hold(Ask(2, 3, 2), std::move(decision)).status()));
  EXPECT_THAT(Held(2), IsEmpty());
}

TEST_F(SnapshotTest, OlderAttemptGetsNothing) {
  const AllocateCall call = Ask(1, 2);
  Decision decision = Decided(call);
  EXPECT_THAT(Placed(Ask(1, 4, 2)), ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(
      absl::IsAborted(allocator_.Hold(call, std::move(decision)).status()));
  EXPECT_THAT(Held(1), ElementsAre(0, 1, 2, 3));
  // Nor one of a run that a later one came before.
  decision = Decided(Ask(2, 2));
  allocator_.Commit(Runs(2, {7}, 1), 1);
  EXPECT_TRUE(absl::IsAborted(
      allocator_.Hold(Ask(2, 2), std::move(decision)).status()));
  EXPECT_THAT(Held(2), ElementsAre(7));
}

TEST_F(SnapshotTest, RunCommittedDuringItsDecisionKeepsItsNodes) {
  const AllocateCall call = Ask(1, 2);
  Decision decision = Decided(call);
  allocator_.Commit(Runs(1, {6, 7}), 1);
  EXPECT_TRUE(absl::IsFailedPrecondition(
      allocator_.Hold(call, std::move(decision)).status()));
  EXPECT_THAT(Held(1), ElementsAre(6, 7));
  EXPECT_TRUE(allocator_.ledger().Find(1)->committed);
}

TEST_F(SnapshotTest, ExpiryCountsFromTheHold) {
  const AllocateCall call = Ask(1, 2);
  Decision decision = Decided(call);
  allocator_.Commit(Runs(7, {7}), 6000);
  const auto held = allocator_.Hold(call, std::move(decision));
  ASSERT_TRUE(held.ok()) << held.status();
  EXPECT_EQ(allocator_.ledger().Find(1)->expires_ms,
            6000 + Allocator::kTentativeMs);
}

// The writer goes on while others read what it was and drop it.
TEST_F(SnapshotTest, ThreadsDecideOnSnapshotsDuringChanges) {
  constexpr int kRounds = 100;
  for (int round = 0; round < kRounds; ++round) {
    const AllocateCall call = Ask(1000, 2);
    const auto decide = [this, call](MachineSnapshot snapshot,
                                     std::vector<NodeId>& nodes) {
      Budget budget;
      nodes =
          Decide(snapshot, call, {policy_}, budget).value().allocation.nodes;
    };
    std::vector<NodeId> first_nodes;
    std::vector<NodeId> second_nodes;
    std::thread first(decide, allocator_.SnapshotFor(call),
                      std::ref(first_nodes));
    std::thread second(decide, allocator_.SnapshotFor(call),
                       std::ref(second_nodes));
    const auto job = static_cast<std::uint32_t>(round + 1);
    allocator_.Commit(Runs(job, {0, 1, 2}), round);
    allocator_.CorrectRoom(std::make_shared<const InletCorrection>(
        InletCorrection{job, {1.0 * round, 2}}));
    allocator_.Release({job, 0}, round);
    first.join();
    second.join();
    EXPECT_THAT(first_nodes, ElementsAre(0, 1));
    EXPECT_THAT(second_nodes, ElementsAre(0, 1));
  }
}

}  // namespace
}  // namespace coolspan
