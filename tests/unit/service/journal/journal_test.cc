// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "policy/table.h"
#include "room_machine.h"
#include "unit/service/fake_stores.h"
#include "unit/service/small_cluster.h"
#include "unit/state/scratch_folder.h"

namespace coolspan {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

ClusterEvent CommitHappened(std::uint32_t job_id) {
  Holding holding;
  holding.job = {job_id, 0};
  holding.committed = true;
  holding.nodes = {0};
  ClusterEvent cluster_event;
  cluster_event.cluster = "c";
  cluster_event.what = JobEvent{EventKind::kCommit, holding.job, false, 0};
  cluster_event.jobs = {{job_id, std::make_shared<const Holding>(holding)}};
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

std::shared_ptr<const Machine> SmallMachineInRoom() {
  return InRoom(*SmallMachine(),
                RoomDescription(8, 8, std::vector<double>(64, 0.001)));
}

// In a room, to be compared with what the references choose.
Decided DecidedInRoom(std::uint32_t job_id,
                      const ReferencePolicies& references) {
  const auto machine = SmallMachineInRoom();
  Allocator allocator(machine);
  const auto policy = MakePolicy("first-fit", machine,
                                 {MakeOrdering(*machine, "row-major").value()})
                          .value();
  AllocateCall call;
  call.job = {job_id, 0};
  call.request.demand = Demand::Nodes(2);
  Budget budget;
  Decided decided;
  MachineSnapshot snapshot = allocator.SnapshotFor(call);
  decided.decision = allocator.Allocate(call, {*policy}, budget).value();
  decided.basis = std::make_shared<const ComparisonBasis>(
      ComparisonBasis{references, std::move(snapshot), call});
  return decided;
}

ClusterEvent DecisionHappened(Decided decided) {
  ClusterEvent cluster_event;
  cluster_event.cluster = "c";
  cluster_event.what = std::move(decided);
  return cluster_event;
}

class JournalTest : public ::testing::Test {
 protected:
  // Of the ledgers.
  static absl::Status Written(Journal& journal, Journal::Ticket ticket) {
    const auto until = Journal::Clock::now() + kPatience;
    return *ResultBy(until, [&](BatchWriter<int>::Done done) {
      journal.WhenWritten(ticket, until, std::move(done));
    });
  }
  // The log's first line about a decision.
  nlohmann::json LoggedDecision() {
    std::ifstream log(folder_.File("log.txt"));
    for (std::string line; std::getline(log, line);) {
      nlohmann::json fields = nlohmann::json::parse(line);
      if (fields.contains("decision") && fields.contains("why")) return fields;
    }
    return nullptr;
  }
  // What the log, a watcher and the store have of a decision.
  struct Told {
    nlohmann::json logged;
    v1::DecisionRecord watched;
    StoredDecision stored;
  };
  Told Tell(Decided decided) {
    const auto watcher = *watchers_.Add("");
    const auto journal = Start();
    EXPECT_TRUE(
        journal->Wait(journal->Append(DecisionHappened(std::move(decided))))
            .ok());
    Told told;
    told.logged = LoggedDecision();
    const auto happening = watcher->Next(std::chrono::seconds(10));
    EXPECT_TRUE(happening.has_value());
    if (happening.has_value()) told.watched = happening->decision();
    const std::lock_guard lock(archive_.mutex);
    EXPECT_EQ(archive_.decisions.size(), 1U);
    if (!archive_.decisions.empty()) told.stored = archive_.decisions[0];
    return told;
  }

  static constexpr TimeMs kNowMs = 1'000'000;
  static constexpr std::chrono::seconds kPatience{60};

  std::unique_ptr<Journal> Start() {
    return std::make_unique<Journal>(
        SmallMachine(), Stores{ledger_, 1, archive_}, *log_, watchers_,
        [] { return kNowMs; }, 400);
  }

  ScratchFolder folder_;
  FakeLedgerStore ledger_;
  FakeArchive archive_;
  std::unique_ptr<EventLog> log_ =
      *EventLog::Open({"info", folder_.File("log.txt"), "json"});
  WatchHub watchers_;
};

TEST_F(JournalTest, WritesInOrderBeforeAcknowledging) {
  const auto journal = Start();
  for (std::uint32_t job = 1; job <= 5; ++job) {
    journal->Append(CommitHappened(job));
  }
  EXPECT_TRUE(journal->Wait(journal->last()).ok());
  const std::lock_guard lock(ledger_.mutex);
  EXPECT_THAT(ledger_.jobs, ElementsAre(1, 2, 3, 4, 5));
}

TEST_F(JournalTest, PendingChangesAreOneTransaction) {
  const auto journal = Start();
  ledger_.disk.paused = true;
  std::thread first(
      [&] { journal->Wait(journal->Append(CommitHappened(1))).IgnoreError(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  for (std::uint32_t job = 2; job <= 100; ++job) {
    journal->Append(CommitHappened(job));
  }
  ledger_.disk.paused = false;
  EXPECT_TRUE(journal->Wait(journal->last()).ok());
  first.join();
  EXPECT_LE(ledger_.disk.writes, 3);
}

TEST_F(JournalTest, EndlessComparisonsDelayNothing) {
  const auto journal = Start();
  const auto endless = std::make_shared<const SearchesOn>();
  for (std::uint32_t job = 1; job <= 3; ++job) {
    journal->Append(DecisionHappened(DecidedInRoom(job, {endless, endless})));
  }
  EXPECT_TRUE(journal->Wait(journal->Append(CommitHappened(1))).ok());
  const std::lock_guard lock(archive_.mutex);
  ASSERT_EQ(archive_.decisions.size(), 3U);
  for (const StoredDecision& decision : archive_.decisions) {
    EXPECT_THAT(decision.facts, Contains(Pair("compared", "no time")));
    EXPECT_THAT(decision.facts, Contains(Key("peak_inlet_after_c")));
    EXPECT_THAT(decision.facts, Not(Contains(Key("coolest_peak_inlet_c"))));
  }
}

class Throws final : public Policy {
 public:
  std::string_view name() const override { return "throws"; }
  std::optional<Allocation> Place(const MachineView& /*view*/,
                                  const Request& /*request*/,
                                  Budget& /*budget*/,
                                  Trace& /*trace*/) const override {
    throw std::runtime_error("no memory");
  }
};

TEST_F(JournalTest, AnExceptionOfAComparisonIsRecorded) {
  const auto throws = std::make_shared<const Throws>();
  const Told told = Tell(DecidedInRoom(7, {throws, throws}));
  EXPECT_THAT(told.stored.facts, Contains(Pair("compared", "failed")));
  EXPECT_EQ(told.stored.nodes, "n[1-2]");
}

TEST_F(JournalTest, SameTextForLogWatchersAndStore) {
  const auto machine = SmallMachineInRoom();
  const auto references = MakeReferencePolicies(machine, {});
  ASSERT_TRUE(references.ok()) << references.status();
  const Told told = Tell(DecidedInRoom(7, *references));
  EXPECT_EQ(told.stored.id, "7.0.0");
  EXPECT_EQ(told.watched.id(), "7.0.0");
  EXPECT_EQ(told.stored.nodes, "n[1-2]");
  EXPECT_EQ(told.watched.hostlist(), "n[1-2]");
  ASSERT_TRUE(told.logged.is_object());
  EXPECT_EQ(told.logged.at("nodes"), "n[1-2]");
  EXPECT_THAT(told.stored.why, StartsWith("first-fit: "));
  EXPECT_EQ(told.watched.why(), told.stored.why);
  EXPECT_EQ(told.logged.at("why"), told.stored.why);
  // The comparison's facts are among the others everywhere.
  for (const std::string_view fact :
       {"peak_inlet_after_c", "coolest_peak_inlet_c", "coolest_pairwise_total",
        "compact_peak_inlet_c", "compact_pairwise_total", "pairwise_total"}) {
    std::string words(fact);
    std::replace(words.begin(), words.end(), '_', ' ');
    // Units stand behind the value.
    if (words.ends_with(" c")) words.resize(words.size() - 1);
    EXPECT_THAT(told.stored.facts, Contains(Key(std::string(fact))));
    EXPECT_THAT(told.stored.why, HasSubstr(words));
  }
  EXPECT_THAT(told.stored.facts, Contains(Pair("pairwise_total", "1")));
  const std::map<std::string, std::string> watched(told.watched.facts().begin(),
                                                   told.watched.facts().end());
  const std::map<std::string, std::string> stored(told.stored.facts.begin(),
                                                  told.stored.facts.end());
  EXPECT_EQ(watched, stored);
}

TEST_F(JournalTest, SameTextWithoutTimeToCompare) {
  Decided decided = DecidedInRoom(7, {});
  decided.basis = nullptr;
  decided.is_overloaded = true;
  const Told told = Tell(std::move(decided));
  EXPECT_THAT(told.stored.facts, Contains(Pair("compared", "no time")));
  EXPECT_EQ(told.watched.facts().at("compared"), "no time");
  EXPECT_THAT(told.stored.why, HasSubstr("compared no time"));
  EXPECT_EQ(told.watched.why(), told.stored.why);
  EXPECT_EQ(told.logged.at("why"), told.stored.why);
}

TEST_F(JournalTest, SameTextForUnplacedJobs) {
  Decision decision;
  decision.id = "7.0.1";
  decision.job = {7, 0};
  decision.policy = "first-fit";
  decision.reason = "too few of the offered nodes are free";
  decision.shortage = {.not_offered = 2, .busy = 5};
  Decided decided;
  decided.decision = std::make_shared<const Decision>(decision);
  const Told told = Tell(std::move(decided));
  EXPECT_EQ(told.stored.why,
            "first-fit: too few of the offered nodes are free (nodes: 2 not "
            "offered, 5 busy)");
  EXPECT_EQ(told.watched.why(), told.stored.why);
  EXPECT_EQ(told.logged.at("why"), told.stored.why);
  EXPECT_EQ(told.stored.outcome, "not placed");
  EXPECT_EQ(told.stored.nodes, "");
}

TEST_F(JournalTest, FailedWritesAreTriedAgainInOrder) {
  const auto journal = Start();
  ledger_.disk.failing = true;
  const Journal::Ticket first = journal->Append(CommitHappened(1));
  EXPECT_TRUE(absl::IsUnavailable(journal->Wait(first)));
  const Journal::Ticket second = journal->Append(CommitHappened(2));
  EXPECT_TRUE(absl::IsUnavailable(journal->Wait(second)));
  ledger_.disk.failing = false;
  const Journal::Ticket third = journal->Append(CommitHappened(3));
  EXPECT_TRUE(journal->Wait(third).ok());
  EXPECT_TRUE(journal->Wait(first).ok());
  const std::lock_guard lock(ledger_.mutex);
  EXPECT_THAT(ledger_.jobs, ElementsAre(1, 2, 3));
}

// Otherwise calls would take all threads of the server, four seconds each.
TEST_F(JournalTest, CallsFailAtOnceWhileADiskDoesNotAnswer) {
  const auto journal = Start();
  ledger_.disk.paused = true;
  const Journal::Ticket ticket = journal->Append(CommitHappened(1));
  EXPECT_TRUE(absl::IsUnavailable(journal->Wait(ticket)));
  // The write began a little after the call.
  while (journal->ledger().busy_for() < std::chrono::milliseconds(4100)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const absl::Status status = Written(*journal, ticket);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("the state has not been written for"));
  ledger_.disk.paused = false;
  while (!journal->Wait(ticket).ok()) std::this_thread::yield();
}

TEST_F(JournalTest, AFailedSyncToTheDiskIsNoAcknowledgement) {
  const auto journal = Start();
  ledger_.sync.failing = true;
  const Journal::Ticket ticket = journal->Append(CommitHappened(1));
  EXPECT_TRUE(absl::IsUnavailable(journal->Wait(ticket)));
  EXPECT_TRUE(Written(*journal, ticket).ok());
  log_->Flush();
  std::stringstream logged;
  logged << std::ifstream(folder_.File("log.txt")).rdbuf();
  EXPECT_THAT(logged.str(), HasSubstr(R"("store":"ledger on disk")"));
  ledger_.sync.failing = false;
  EXPECT_TRUE(journal->Wait(ticket).ok());
}

TEST_F(JournalTest, HistoryIsWrittenAgainLater) {
  const auto journal = Start();
  archive_.disk.failing = true;
  Decided decided = DecidedInRoom(7, {});
  decided.basis = nullptr;
  const Journal::Ticket ticket =
      journal->Append(DecisionHappened(std::move(decided)));
  EXPECT_TRUE(Written(*journal, ticket).ok()) << "the answer leaves";
  EXPECT_TRUE(journal->Wait(ticket).ok()) << "and events are acknowledged";
  EXPECT_GT(archive_.disk.writes, 0);
  const auto written = [this] {
    const std::lock_guard lock(archive_.mutex);
    return archive_.decisions.size();
  };
  EXPECT_EQ(written(), 0u);
  archive_.disk.failing = false;
  while (written() == 0) std::this_thread::yield();
  EXPECT_EQ(written(), 1u);
}

TEST_F(JournalTest, AnArchiveThatCannotBeWrittenBlocksNothing) {
  const auto journal = Start();
  archive_.disk.failing = true;
  const std::size_t count = Archiver::kMaxUnwritten + 100;
  for (std::uint32_t job = 1; job <= count; ++job) {
    ClusterEvent ended = CommitHappened(job);
    ended.outcomes = {{std::to_string(job) + ".0.1", "committed", {}}};
    const Journal::Ticket ticket = journal->Append(std::move(ended));
    constexpr std::uint32_t kWaitedForAtOnce = 1000;
    if (job % kWaitedForAtOnce == 0) {
      EXPECT_TRUE(journal->Wait(ticket).ok());
    }
  }
  EXPECT_TRUE(journal->CheckCapacity().ok());
  EXPECT_TRUE(journal->Wait(journal->last()).ok());
  while (journal->dropped() < 100) std::this_thread::yield();
  EXPECT_EQ(journal->dropped(), 100u) << "the oldest";
  archive_.disk.failing = false;
  const auto written = [this] {
    const std::lock_guard lock(archive_.mutex);
    return archive_.outcomes;
  };
  while (written() < Archiver::kMaxUnwritten) std::this_thread::yield();
  log_->Flush();
  std::stringstream logged;
  logged << std::ifstream(folder_.File("log.txt")).rdbuf();
  EXPECT_THAT(logged.str(), HasSubstr(R"("dropped_since_start":)"));
}

// A hung disk of the archive.
TEST_F(JournalTest, AnArchiveThatDoesNotAnswerBlocksNothing) {
  const auto journal = Start();
  archive_.disk.paused = true;
  ClusterEvent ended = CommitHappened(1);
  ended.outcomes = {{"1.0.1", "committed", {}}};
  journal->Append(ClusterEvent(ended));
  while (journal->waiting() > 0) std::this_thread::yield();
  for (std::size_t i = 0; i < Archiver::kMaxQueued + 7; ++i) {
    journal->Append(CommitHappened(1));
  }
  EXPECT_EQ(journal->dropped(), 7u);
  EXPECT_TRUE(Written(*journal, journal->last()).ok());
  EXPECT_TRUE(journal->CheckCapacity().ok());
  archive_.disk.paused = false;
}

TEST_F(JournalTest, EachCallWaitsForAnAttemptOfItsOwn) {
  const auto journal = Start();
  ledger_.disk.failing = true;
  const Journal::Ticket ticket = journal->Append(CommitHappened(1));
  for (int call = 0; call < 20; ++call) {
    EXPECT_TRUE(absl::IsUnavailable(journal->Wait(ticket)));
  }
  EXPECT_GE(ledger_.disk.writes, 10) << "not the result of the first";
  ledger_.disk.failing = false;
}

TEST_F(JournalTest, EveryStoreErrorIsUnavailable) {
  ledger_.disk.failure = absl::DataLossError("the state file is corrupt");
  ledger_.disk.failing = true;
  const auto journal = Start();
  EXPECT_EQ(journal->Wait(journal->Append(CommitHappened(1))),
            absl::UnavailableError("the state file is corrupt"));
}

TEST_F(JournalTest, ARemovalIsNotedBeforeItIsAcknowledged) {
  const auto journal = Start();
  ClusterEvent removed;
  removed.cluster = "c";
  removed.what = Removed{"a test"};
  EXPECT_TRUE(journal->Wait(journal->Append(std::move(removed))).ok());
  const std::lock_guard lock(archive_.mutex);
  EXPECT_THAT(archive_.removals, ElementsAre("c"));
}

TEST_F(JournalTest, ARemovalOfAnEarlierProcessEndsBeforeTheFirstWrite) {
  archive_.to_remove = 2500;
  const auto journal = Start();
  Decided decided = DecidedInRoom(7, {});
  decided.basis = nullptr;
  EXPECT_TRUE(
      journal->Wait(journal->Append(DecisionHappened(std::move(decided))))
          .ok());
  const std::lock_guard lock(archive_.mutex);
  EXPECT_EQ(archive_.to_remove, 0U);
  EXPECT_EQ(archive_.decisions.size(), 1U);
  EXPECT_FALSE(archive_.wrote_beside_removal);
}

// Another daemon leads the cluster now.
TEST_F(JournalTest, ARefusedTermEndsItsTenureAndNothingElse) {
  const auto lease = std::make_shared<LeaseTime>();
  lease->ExtendTo(LeaseTime::Clock::now() + std::chrono::hours(1));
  const auto former = std::make_shared<Tenure>(4, lease);
  const auto current = std::make_shared<Tenure>(5, lease);
  ledger_.min_term = 5;
  const auto journal = Start();
  ClusterEvent refused = CommitHappened(1);
  refused.tenure = former;
  ClusterEvent written = CommitHappened(2);
  written.cluster = "d";
  written.tenure = current;
  journal->Append(std::move(refused));
  EXPECT_TRUE(journal->Wait(journal->Append(std::move(written))).ok());
  EXPECT_TRUE(former->is_over());
  EXPECT_FALSE(former->IsCurrent());
  EXPECT_TRUE(current->IsCurrent());
  ClusterEvent late = CommitHappened(3);
  late.tenure = former;
  EXPECT_TRUE(journal->Wait(journal->Append(std::move(late))).ok());
  const std::lock_guard lock(ledger_.mutex);
  EXPECT_THAT(ledger_.jobs, ElementsAre(2));
}

// Else one job would keep all clusters from being served.
TEST_F(JournalTest, AClusterThatCannotBeStoredStopsNoOther) {
  const auto lease = std::make_shared<LeaseTime>();
  lease->ExtendTo(LeaseTime::Clock::now() + std::chrono::hours(1));
  const auto tenure = std::make_shared<Tenure>(5, lease);
  ledger_.refused_cluster = "d";
  const auto journal = Start();
  ClusterEvent refused = CommitHappened(1);
  refused.cluster = "d";
  refused.tenure = tenure;
  journal->Append(std::move(refused));
  EXPECT_TRUE(journal->Wait(journal->Append(CommitHappened(2))).ok());
  EXPECT_TRUE(tenure->is_over());
  const std::lock_guard lock(ledger_.mutex);
  EXPECT_THAT(ledger_.jobs, ElementsAre(2));
}

TEST_F(JournalTest, WhatWasLearnedHoldsNoChangeUp) {
  ledger_.learned_failure = absl::UnavailableError("too large");
  const auto journal = Start();
  journal->NoteLearned({"room", "m", 1, "[1]"});
  for (std::uint32_t job = 1; job < 4; ++job) {
    EXPECT_TRUE(journal->Wait(journal->Append(CommitHappened(job))).ok());
  }
  const std::lock_guard lock(ledger_.mutex);
  EXPECT_THAT(ledger_.jobs, ElementsAre(1, 2, 3));
}

TEST_F(JournalTest, TheLastThatWasLearnedIsSaved) {
  const auto journal = Start();
  ledger_.disk.failing = true;
  journal->NoteLearned({"room", "m", 1, "[1]"});
  journal->NoteLearned({"room", "m", 2, "[2]"});
  EXPECT_FALSE(journal->Wait(journal->Append(CommitHappened(1))).ok());
  ledger_.disk.failing = false;
  EXPECT_TRUE(journal->Wait(journal->Append(CommitHappened(2))).ok());
  const std::lock_guard lock(ledger_.mutex);
  EXPECT_THAT(ledger_.learned,
              ElementsAre(StoredLearning{"room", "m", 2, "[2]"}));
}

TEST_F(JournalTest, SyncReplacesPendingChangesOfItsCluster) {
  const auto journal = Start();
  ledger_.disk.failing = true;
  ClusterEvent other = CommitHappened(8);
  other.cluster = "d";
  journal->Append(ClusterEvent(other));
  ClusterEvent ended = CommitHappened(7);
  ended.outcomes = {{"7.0.1", "committed", {}}};
  v1::JobStart start;
  start.set_verdict("left");
  std::get<JobEvent>(ended.what).start = start;
  EXPECT_FALSE(journal->Wait(journal->Append(ClusterEvent(ended))).ok());
  ClusterEvent mode;
  mode.cluster = "c";
  mode.what = ModeSet{PlacementMode::kAdvise};
  journal->Append(ClusterEvent(mode));
  ClusterEvent sync;
  sync.cluster = "c";
  sync.what = Synced{std::make_shared<const NodeTable>(), {}, 0, {}};
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(journal->Wait(journal->Append(ClusterEvent(sync))).ok());
  }
  ledger_.disk.failing = false;
  EXPECT_TRUE(journal->Wait(journal->Append(CommitHappened(9))).ok());
  const std::lock_guard lock(ledger_.mutex);
  EXPECT_EQ(ledger_.syncs, 1);
  EXPECT_EQ(archive_.outcomes, 1u) << "decisions are no part of a Sync";
  EXPECT_EQ(archive_.starts.size(), 1u) << "nor are starts";
  EXPECT_EQ(ledger_.modes, std::vector<std::string>{"advise"});
  EXPECT_THAT(ledger_.jobs, ElementsAre(8, 9));
}

TEST_F(JournalTest, RefusesEventsWhenFull) {
  const auto journal = Start();
  ledger_.disk.failing = true;
  EXPECT_TRUE(journal->CheckCapacity().ok());
  for (std::size_t i = 0; i < Journal::kMaxWaiting; ++i) {
    journal->Append(CommitHappened(1));
  }
  EXPECT_TRUE(absl::IsUnavailable(journal->CheckCapacity()));
  ledger_.disk.failing = false;
  // A Wait ends after 4 s; on a loaded host, this takes longer.
  int waits = 1;
  while (!journal->Wait(journal->last()).ok() && waits < 15) ++waits;
  EXPECT_LT(waits, 15);
  EXPECT_TRUE(journal->CheckCapacity().ok());
}

TEST_F(JournalTest, DestructorWritesPendingChanges) {
  Start()->Append(CommitHappened(7));
  EXPECT_THAT(ledger_.jobs, ElementsAre(7));
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
  while (archive_.forgotten_before_ms == 0) std::this_thread::yield();
  EXPECT_EQ(archive_.forgotten_before_ms, kNowMs - 400);
}

}  // namespace
}  // namespace coolspan
