// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "policy/table.h"
#include "room_machine.h"
#include "unit/service/fake_store.h"
#include "unit/service/small_cluster.h"
#include "unit/state/scratch_folder.h"

namespace coolspan {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

ClusterEvent CommitHappened(std::uint32_t job_id) {
  Holding holding;
  holding.job = {job_id, 0};
  holding.committed = true;
  holding.nodes = {0};
  ClusterEvent cluster_event;
  cluster_event.cluster = "c";
  cluster_event.what = CommitFact{EventKind::kCommit, holding.job, false, 0};
  cluster_event.jobs = {{job_id, holding}};
  return cluster_event;
}

// Has no end but the budget's.
class SearchesOn final : public Policy {
 public:
  std::string_view name() const override { return "searches-on"; }
  std::optional<Allocation> Place(const MachineView& /*view*/,
                                  const Request& /*request*/, Budget& budget,
                                  Trace& /*trace*/) const override {
    while (budget.Spend(0)) std::this_thread::yield();
    return std::nullopt;
  }
};

// In a room, to be held against what is never found.
ClusterEvent DecisionHappened(std::uint32_t job_id) {
  const auto small = SmallMachine();
  const auto machine =
      InRoom(*small, RoomDescription(8, 8, std::vector<double>(64, 0.001)),
             std::shared_ptr<const Topology>(small, &small->topology()));
  Allocator allocator(machine,
                      MakePolicy("first-fit", machine,
                                 {MakeOrdering(*machine, "row-major").value()})
                          .value());
  const auto endless = std::make_shared<const SearchesOn>();
  allocator.CompareWith({endless, endless});
  AllocateCall call;
  call.job = {job_id, 0};
  Budget budget;
  ClusterEvent cluster_event;
  cluster_event.cluster = "c";
  Decided decided;
  decided.decision = allocator.Allocate(call, budget).value();
  EXPECT_NE(decided.decision.comparison, nullptr);
  cluster_event.what = std::move(decided);
  return cluster_event;
}

class JournalTest : public ::testing::Test {
 protected:
  static constexpr TimeMs kNowMs = 1'000'000;

  std::unique_ptr<Journal> Start() {
    return std::make_unique<Journal>(
        SmallMachine(), store_, *log_, watchers_, [] { return kNowMs; }, 400);
  }

  ScratchFolder folder_;
  FakeStore store_;
  std::unique_ptr<EventLog> log_ =
      *EventLog::Open({"info", folder_.File("log.txt"), "json"});
  WatchHub watchers_;
};

TEST_F(JournalTest, WritesInOrderBeforeItSaysSo) {
  const auto journal = Start();
  for (std::uint32_t job = 1; job <= 5; ++job) {
    journal->Append(CommitHappened(job));
  }
  EXPECT_TRUE(journal->Wait(journal->last()).ok());
  const std::lock_guard lock(store_.mutex);
  EXPECT_THAT(store_.jobs, ElementsAre(1, 2, 3, 4, 5));
}

TEST_F(JournalTest, WhatWaitsTogetherIsWrittenTogether) {
  const auto journal = Start();
  store_.paused = true;
  std::thread first(
      [&] { journal->Wait(journal->Append(CommitHappened(1))).IgnoreError(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  for (std::uint32_t job = 2; job <= 100; ++job) {
    journal->Append(CommitHappened(job));
  }
  store_.paused = false;
  EXPECT_TRUE(journal->Wait(journal->last()).ok());
  first.join();
  EXPECT_LE(store_.writes, 3);
}

TEST_F(JournalTest, ComparisonsWithoutEndHoldNothingUp) {
  const auto journal = Start();
  for (std::uint32_t job = 1; job <= 3; ++job) {
    journal->Append(DecisionHappened(job));
  }
  EXPECT_TRUE(journal->Wait(journal->Append(CommitHappened(1))).ok());
  const std::lock_guard lock(store_.mutex);
  ASSERT_EQ(store_.decisions.size(), 3U);
  for (const StoredDecision& decision : store_.decisions) {
    EXPECT_THAT(decision.facts, Contains(Pair("compared", "no time")));
    EXPECT_THAT(decision.facts, Contains(Key("peak_inlet_after_c")));
    EXPECT_THAT(decision.facts, Not(Contains(Key("coolest_peak_inlet_c"))));
  }
}

TEST_F(JournalTest, FailedWritesAreTriedAgainInOrder) {
  const auto journal = Start();
  store_.failing = true;
  const Journal::Ticket first = journal->Append(CommitHappened(1));
  EXPECT_TRUE(absl::IsUnavailable(journal->Wait(first)));
  const Journal::Ticket second = journal->Append(CommitHappened(2));
  EXPECT_TRUE(absl::IsUnavailable(journal->Wait(second)));
  store_.failing = false;
  const Journal::Ticket third = journal->Append(CommitHappened(3));
  EXPECT_TRUE(journal->Wait(third).ok());
  EXPECT_TRUE(journal->Wait(first).ok());
  const std::lock_guard lock(store_.mutex);
  EXPECT_THAT(store_.jobs, ElementsAre(1, 2, 3));
}

TEST_F(JournalTest, AnyTroubleOfTheStoreIsUnavailable) {
  store_.failure = absl::DataLossError("the state file is corrupt");
  store_.failing = true;
  const auto journal = Start();
  EXPECT_EQ(journal->Wait(journal->Append(CommitHappened(1))),
            absl::UnavailableError("the state file is corrupt"));
}

TEST_F(JournalTest, ASyncReplacesWhatWaitsOfItsCluster) {
  const auto journal = Start();
  store_.failing = true;
  ClusterEvent other = CommitHappened(8);
  other.cluster = "d";
  journal->Append(other);
  ClusterEvent ended = CommitHappened(7);
  ended.outcomes = {{"7.0.1", "committed", {}}};
  EXPECT_FALSE(journal->Wait(journal->Append(ended)).ok());
  ClusterEvent sync;
  sync.cluster = "c";
  sync.what = Synced{std::make_shared<const NodeTable>(), {}, 0, {}};
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(journal->Wait(journal->Append(sync)).ok());
  }
  store_.failing = false;
  EXPECT_TRUE(journal->Wait(journal->Append(CommitHappened(9))).ok());
  const std::lock_guard lock(store_.mutex);
  EXPECT_EQ(store_.syncs, 1);
  EXPECT_EQ(store_.outcomes, 1u) << "decisions are no part of a Sync";
  EXPECT_THAT(store_.jobs, ElementsAre(8, 9));
}

TEST_F(JournalTest, TakesNoMoreThanItCanKeep) {
  const auto journal = Start();
  store_.failing = true;
  EXPECT_TRUE(journal->CheckRoom().ok());
  for (std::size_t i = 0; i < Journal::kMaxWaiting; ++i) {
    journal->Append(CommitHappened(1));
  }
  EXPECT_TRUE(absl::IsUnavailable(journal->CheckRoom()));
  store_.failing = false;
  EXPECT_TRUE(journal->Wait(journal->last()).ok());
  EXPECT_TRUE(journal->CheckRoom().ok());
}

TEST_F(JournalTest, WritesWhatWaitsAtTheEnd) {
  Start()->Append(CommitHappened(7));
  EXPECT_THAT(store_.jobs, ElementsAre(7));
}

TEST_F(JournalTest, WatchersAndRetention) {
  const auto watcher = *watchers_.Add("");
  const auto journal = Start();
  journal->Append(CommitHappened(7));
  const auto happening = watcher->Next(std::chrono::seconds(10));
  ASSERT_TRUE(happening.has_value());
  EXPECT_EQ(happening->committed().hostlist(), "n1");
  EXPECT_EQ(happening->committed().job().job_id(), 7u);
  EXPECT_TRUE(journal->Wait(journal->last()).ok());
  while (store_.forgotten_before_ms == 0) std::this_thread::yield();
  EXPECT_EQ(store_.forgotten_before_ms, kNowMs - 400);
}

}  // namespace
}  // namespace coolspan
