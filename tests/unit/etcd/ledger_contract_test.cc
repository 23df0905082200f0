// SPDX-License-Identifier: GPL-3.0-or-later
// What every LedgerStore must do, with SQLite and with a real etcd.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "etcd/etcd_ledger.h"
#include "running_etcd.h"
#include "unit/etcd/etcd_test.h"
#include "unit/state/sqlite_stores_test.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A store that can be opened again, as by another daemon.
class StoreKind {
 public:
  virtual ~StoreKind() = default;
  virtual std::unique_ptr<LedgerStore> Open() = 0;
  virtual std::uint64_t BeginTerm(LedgerStore& store,
                                  const std::string& cluster) = 0;
};

class SqliteKind final : public StoreKind {
 public:
  std::unique_ptr<LedgerStore> Open() override {
    archive_.reset();
    archive_ = *OpenSqliteArchive(folder_.File("archive.db"));
    return *OpenSqliteLedger(folder_.File("state.db"),
                             folder_.File("archive.db"));
  }
  std::uint64_t BeginTerm(LedgerStore& store, const std::string&) override {
    return *store.BeginTerm();
  }

 private:
  ScratchFolder folder_;
  std::unique_ptr<DecisionArchive> archive_;
};

class EtcdKind final : public StoreKind {
 public:
  std::unique_ptr<LedgerStore> Open() override {
    return MakeEtcdLedger(client_, keys_, "unix:///test");
  }
  std::uint64_t BeginTerm(LedgerStore&, const std::string& cluster) override {
    return ElectFor(client_, keys_, cluster);
  }

 private:
  EtcdClient client_{SharedEtcd().address()};
  EtcdKeys keys_{NewPrefix()};
};

class LedgerContractTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "sqlite") {
      kind_ = std::make_unique<SqliteKind>();
    } else if (RunningEtcd::IsInstalled()) {
      kind_ = std::make_unique<EtcdKind>();
    } else {
      GTEST_SKIP() << "etcd is not installed";
    }
    Reopen();
  }

  // The next daemon.
  void Reopen() {
    store_.reset();
    store_ = kind_->Open();
    term_ = kind_->BeginTerm(*store_, "c");
  }
  absl::Status Write(std::vector<LedgerChange> changes) {
    const TermChanges write{"c", term_, std::move(changes)};
    return store_->Write({&write, 1}).front();
  }
  // The only cluster.
  StoredCluster Loaded() {
    const auto clusters = store_->Load();
    EXPECT_TRUE(clusters.ok()) << clusters.status();
    if (!clusters.ok() || clusters->size() != 1) {
      ADD_FAILURE() << "not one cluster";
      return {};
    }
    return clusters->front();
  }

  std::unique_ptr<StoreKind> kind_;
  std::unique_ptr<LedgerStore> store_;
  std::uint64_t term_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Stores, LedgerContractTest,
                         ::testing::Values("sqlite", "etcd"),
                         [](const auto& tested) { return tested.param; });

TEST_P(LedgerContractTest, StartsEmpty) {
  const auto clusters = store_->Load();
  ASSERT_TRUE(clusters.ok()) << clusters.status();
  EXPECT_THAT(*clusters, IsEmpty());
}

TEST_P(LedgerContractTest, LoadReturnsWhatWasWritten) {
  StoredHolding shared = HoldingOf(5, "n[1,4-5]");
  shared.job.restart = 2;
  shared.attempt = 4'000'000'000;
  shared.committed = false;
  shared.whole = false;
  shared.suspended = true;
  shared.disputed = true;
  shared.units = {1, 1, 3};
  shared.contested = "n8";
  shared.expires_ms = 123;
  shared.decision_id = "5.2.4000000000";
  shared.communication_share = 0.3F;
  shared.expected_end_ms = 456;
  StoredCluster cluster = ClusterOf({HoldingOf(4, "n[2-3]"), shared});
  ASSERT_TRUE(Write({SyncTo(cluster)}).ok());
  EXPECT_EQ(Loaded().holdings.size(), 2u) << "in the same process";
  Reopen();
  std::swap(cluster.queues[0], cluster.queues[1]);  // by client id
  EXPECT_EQ(Loaded(), cluster);
}

TEST_P(LedgerContractTest, ChangesAreAppliedInOrder) {
  LedgerChange more;
  more.cluster = "c";
  more.held = {HoldingOf(1, "n1"), HoldingOf(2, "n2")};
  more.queue = StoredQueue{"q1", 8, false};
  LedgerChange fewer;
  fewer.cluster = "c";
  fewer.held = {HoldingOf(2, "n3")};
  fewer.gone = {1, 99};
  ASSERT_TRUE(
      Write({SyncTo(ClusterOf({HoldingOf(9, "n8")})), more, fewer}).ok());
  EXPECT_THAT(Loaded().holdings,
              ElementsAre(HoldingOf(2, "n3"), HoldingOf(9, "n8")));
  EXPECT_THAT(Loaded().queues,
              ::testing::Contains(StoredQueue{"q1", 8, false}));
  ASSERT_TRUE(Write({SyncTo(ClusterOf({}))}).ok());
  EXPECT_THAT(Loaded().holdings, IsEmpty());
}

TEST_P(LedgerContractTest, ASyncKeepsModeAndContactButNotWhatIsMissing) {
  LedgerChange change;
  change.cluster = "c";
  change.mode = "advise";
  change.heard_ms = 77;
  change.is_incomplete = true;
  ASSERT_TRUE(Write({SyncTo(ClusterOf({})), change}).ok());
  EXPECT_TRUE(Loaded().is_incomplete);
  ASSERT_TRUE(Write({SyncTo(ClusterOf({}))}).ok());
  EXPECT_EQ(Loaded().mode, "advise");
  EXPECT_EQ(Loaded().heard_ms, 77);
  EXPECT_FALSE(Loaded().is_incomplete);
}

TEST_P(LedgerContractTest, NothingIsLeftOfARemovedCluster) {
  LedgerChange change;
  change.cluster = "c";
  change.mode = "off";
  change.held = {HoldingOf(1, "n1")};
  ASSERT_TRUE(Write({SyncTo(ClusterOf({})), change}).ok());
  LedgerChange removed;
  removed.cluster = "c";
  removed.is_removed = true;
  ASSERT_TRUE(Write({removed}).ok());
  EXPECT_THAT(*store_->Load(), IsEmpty());
  ASSERT_TRUE(Write({SyncTo(ClusterOf({}))}).ok());
  EXPECT_EQ(Loaded().mode, "");
  EXPECT_THAT(Loaded().holdings, IsEmpty());
}

TEST_P(LedgerContractTest, AnEarlierTermCannotWrite) {
  const LedgerChange change = SyncTo(ClusterOf({HoldingOf(1, "n1")}));
  ASSERT_TRUE(Write({change}).ok());
  const std::uint64_t later = kind_->BeginTerm(*store_, "c");
  EXPECT_GT(later, term_);
  const absl::Status status = Write({SyncTo(ClusterOf({}))});
  EXPECT_TRUE(absl::IsAborted(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("not leader"));
  EXPECT_EQ(Loaded().holdings.size(), 1u);
  term_ = later;
  EXPECT_TRUE(Write({change}).ok());
}

TEST_P(LedgerContractTest, ClustersAreWrittenTogether) {
  StoredCluster other = ClusterOf({HoldingOf(1, "n1")});
  other.name = "d\xff/\"";  // not UTF-8
  const std::uint64_t other_term =
      GetParam() == "sqlite" ? term_ : kind_->BeginTerm(*store_, other.name);
  const std::vector<TermChanges> writes = {
      {"c", term_, {SyncTo(ClusterOf({}))}},
      {other.name, other_term, {SyncTo(other)}}};
  for (const absl::Status& status : store_->Write(writes)) {
    EXPECT_TRUE(status.ok()) << status;
  }
  Reopen();
  const auto clusters = store_->Load();
  ASSERT_TRUE(clusters.ok()) << clusters.status();
  ASSERT_EQ(clusters->size(), 2u);
  EXPECT_EQ(clusters->front().name, "c");
  EXPECT_EQ(clusters->back().name, other.name);
  EXPECT_EQ(clusters->back().holdings.size(), 1u);
}

// More than a transaction of etcd can take, and a node table of a million.
TEST_P(LedgerContractTest, LargeChangesAreStoredWhole) {
  StoredCluster cluster = ClusterOf({});
  cluster.node_table.clear();
  for (int i = 0; i < 400'000; ++i) {
    cluster.node_table += (i == 0 ? "x" : ",x") + std::to_string(i * i % 9973);
  }
  cluster.capacity.assign(1'000'000, 64);
  cluster.capacity[500'000] = 63;
  for (std::uint32_t job = 1; job <= 700; ++job) {
    cluster.holdings.push_back(HoldingOf(job, "n" + std::to_string(job)));
  }
  ASSERT_TRUE(Write({SyncTo(cluster)}).ok());
  Reopen();
  std::swap(cluster.queues[0], cluster.queues[1]);
  EXPECT_EQ(Loaded(), cluster);
  LedgerChange disputed;
  disputed.cluster = "c";
  disputed.queue = StoredQueue{"q1", 8, false};
  for (StoredHolding& held : cluster.holdings) {
    held.disputed = true;
    disputed.held.push_back(held);
  }
  LedgerChange next;
  next.cluster = "c";
  next.gone = {1};
  ASSERT_TRUE(Write({disputed, next}).ok());
  cluster.holdings.erase(cluster.holdings.begin());
  cluster.queues[1].sequence = 8;
  EXPECT_EQ(Loaded(), cluster);
}

TEST_P(LedgerContractTest, TheLastOfWhatWasLearnedIsKept) {
  for (const char* const content : {"[1]", "[2]"}) {
    ASSERT_TRUE(store_->SaveLearned({"room", "m1", 5, content}).ok());
  }
  ASSERT_TRUE(store_->SaveLearned({"a/\xff", "m1", 6, "\xff"}).ok());
  Reopen();
  EXPECT_THAT(*store_->LoadLearned(),
              ElementsAre(StoredLearning{"a/\xff", "m1", 6, "\xff"},
                          StoredLearning{"room", "m1", 5, "[2]"}));
}

// The inlets of 100,000 zones; then of fewer.
TEST_P(LedgerContractTest, WhatWasLearnedMayBeLarge) {
  for (const std::size_t bytes : {4'000'000U, 600'000U, 500'000U}) {
    const StoredLearning learned{"room", "m1", static_cast<TimeMs>(bytes),
                                 std::string(bytes, '7')};
    const absl::Status status = store_->SaveLearned(learned);
    ASSERT_TRUE(status.ok()) << status;
    Reopen();
    EXPECT_THAT(*store_->LoadLearned(), ElementsAre(learned));
  }
}

TEST_P(LedgerContractTest, AWrittenChangeCanBeMadeDurable) {
  ASSERT_TRUE(Write({SyncTo(ClusterOf({}))}).ok());
  EXPECT_TRUE(store_->MakeDurable().ok());
}

}  // namespace
}  // namespace coolspan
