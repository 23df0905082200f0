// SPDX-License-Identifier: GPL-3.0-or-later
// Writers that are interrupted, and requests that etcd applies late.
#include "etcd/write_chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "etcd/etcd_ledger.h"
#include "etcd/stored_values.h"
#include "unit/etcd/etcd_test.h"
#include "unit/state/sqlite_stores_test.h"

namespace coolspan {
namespace {

class WriteChainTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RunningEtcd::IsInstalled()) GTEST_SKIP() << "etcd is not installed";
    client_.emplace(SharedEtcd().address());
    term_ = ElectFor(*client_, keys_, "c");
    store_ = MakeEtcdLedger(*client_, keys_, "unix:///test");
  }

  absl::Status Write(const LedgerChange& change) {
    const TermChanges write{"c", term_, {change}};
    return store_->Write({&write, 1}).front();
  }
  StoredCluster Loaded() {
    const auto clusters =
        MakeEtcdLedger(*client_, keys_, "unix:///test")->Load();
    EXPECT_TRUE(clusters.ok()) << clusters.status();
    if (!clusters.ok() || clusters->size() != 1) return {};
    return clusters->front();
  }
  // Makes the first requests of the chain; false: there were fewer.
  bool RunSome(WriteChain& chain, int requests) {
    for (int i = 0; i < requests; ++i) {
      const auto request = chain.Next();
      if (!request.has_value()) return false;
      chain.Note(client_->Txn(*request));
      EXPECT_TRUE(chain.status().ok()) << chain.status();
    }
    return true;
  }
  static StoredCluster Jobs(std::uint32_t first, std::uint32_t last) {
    StoredCluster cluster = ClusterOf({});
    cluster.queues.clear();
    for (std::uint32_t job = first; job <= last; ++job) {
      cluster.holdings.push_back(HoldingOf(job, "n" + std::to_string(job)));
    }
    return cluster;
  }

  EtcdKeys keys_{NewPrefix()};
  std::optional<EtcdClient> client_;
  std::uint64_t term_ = 0;
  std::unique_ptr<LedgerStore> store_;
};

TEST_F(WriteChainTest, AJobThatIsTooLargeForEtcdIsRefusedForGood) {
  ASSERT_TRUE(Write(SyncTo(Jobs(1, 2))).ok());
  LedgerChange large;
  large.cluster = "c";
  large.held = {HoldingOf(3, std::string(1'500'000, 'n'))};
  const std::uint64_t other = ElectFor(*client_, keys_, "d");
  LedgerChange small = large;
  small.cluster = "d";
  small.held = {HoldingOf(1, "n1")};
  const std::vector<TermChanges> writes = {{"c", term_, {large}},
                                           {"d", other, {small}}};
  const auto statuses = store_->Write(writes);
  EXPECT_TRUE(absl::IsInvalidArgument(statuses[0])) << statuses[0];
  EXPECT_TRUE(statuses[1].ok()) << statuses[1];
  // Nothing is left in the way of the next change.
  LedgerChange next;
  next.cluster = "c";
  next.held = {HoldingOf(3, "n3")};
  EXPECT_TRUE(Write(next).ok());
  EXPECT_EQ(Loaded().holdings.size(), 3u);
}

TEST_F(WriteChainTest, WhatWasNotSavedWholeIsNotLoaded) {
  const StoredLearning learned{"room", "m", 1, std::string(600'000, '1')};
  ASSERT_TRUE(store_->SaveLearned(learned).ok());
  // The first part of a later one.
  StoredLearning part = learned;
  part.saved_ms = 2;
  etcdserverpb::TxnRequest request;
  auto& put = *request.add_success()->mutable_request_put();
  put.set_key(cluster_keys::Part(keys_.LearnedBy("unix:///test") + "room/", 0));
  put.set_value(EncodeStoredLearned(part));
  ASSERT_TRUE(client_->Txn(request).ok());
  EXPECT_TRUE(store_->LoadLearned()->empty());
  // Nor is what is invalid; other rooms are.
  put.set_key(keys_.LearnedBy("unix:///test") + "invalid");
  put.set_value("\xff");
  ASSERT_TRUE(client_->Txn(request).ok());
  const StoredLearning other{"other", "m", 1, "1"};
  ASSERT_TRUE(store_->SaveLearned(other).ok());
  EXPECT_THAT(*store_->LoadLearned(), ::testing::ElementsAre(other));
}

TEST_F(WriteChainTest, AnInterruptedSyncCountsAsAWholeOrNotAtAll) {
  const StoredCluster before = Jobs(1, 200);
  const StoredCluster after = Jobs(150, 500);
  int interrupted = 0;
  bool was_applied = false;
  for (bool is_over = false; !is_over; ++interrupted) {
    ASSERT_TRUE(Write(SyncTo(before)).ok());
    WriteChain chain(keys_, "c", term_);
    const LedgerChange sync = SyncTo(after);
    chain.Begin({&sync, 1});
    is_over = !RunSome(chain, interrupted);
    const StoredCluster loaded = Loaded();
    EXPECT_TRUE(loaded == before || loaded == after) << interrupted;
    EXPECT_TRUE(!was_applied || loaded == after) << interrupted;
    was_applied = loaded == after;
    // The next leader completes it before its own change.
    term_ = ElectFor(*client_, keys_, "c");
    LedgerChange next;
    next.cluster = "c";
    next.held = {HoldingOf(1000, "n1")};
    ASSERT_TRUE(Write(next).ok());
    StoredCluster expected = was_applied ? after : before;
    expected.holdings.push_back(HoldingOf(1000, "n1"));
    EXPECT_EQ(Loaded(), expected) << interrupted;
  }
  EXPECT_GT(interrupted, 5);
  EXPECT_TRUE(was_applied);
}

// Such as one in the buffers of a member that was stopped for a while, which
// the client has made again at another member.
TEST_F(WriteChainTest, ARequestThatIsAppliedLateChangesNothing) {
  ASSERT_TRUE(Write(SyncTo(Jobs(1, 3))).ok());
  WriteChain chain(keys_, "c", term_);
  LedgerChange first;
  first.cluster = "c";
  first.held = {HoldingOf(1, "n7")};
  chain.Begin({&first, 1});
  ASSERT_TRUE(RunSome(chain, 1)) << "what the store has";
  const auto late = chain.Next();
  ASSERT_TRUE(late.has_value());
  chain.Note(absl::UnavailableError("no response in time"));
  EXPECT_TRUE(absl::IsUnavailable(chain.status()));
  LedgerChange second;
  second.cluster = "c";
  second.gone = {1};
  const std::vector<LedgerChange> both = {first, second};
  chain.Begin(both);
  RunSome(chain, 10);
  ASSERT_TRUE(chain.status().ok());
  EXPECT_FALSE(client_->Txn(*late)->succeeded());
  EXPECT_EQ(Loaded().holdings.size(), 2u);
  // The chain goes on after the late request was refused.
  chain.Begin({&first, 1});
  RunSome(chain, 10);
  EXPECT_TRUE(chain.status().ok());
  EXPECT_EQ(Loaded().holdings.size(), 3u);
}

TEST_F(WriteChainTest, ARequestThatWasAppliedWithoutAnAnswerIsNoted) {
  ASSERT_TRUE(Write(SyncTo(Jobs(1, 3))).ok());
  WriteChain chain(keys_, "c", term_);
  LedgerChange change;
  change.cluster = "c";
  change.gone = {2};
  chain.Begin({&change, 1});
  ASSERT_TRUE(RunSome(chain, 1));
  const auto request = chain.Next();
  ASSERT_TRUE(client_->Txn(*request)->succeeded());
  const auto again = client_->Txn(*request);
  EXPECT_FALSE(again->succeeded());
  chain.Note(again);
  EXPECT_TRUE(chain.status().ok()) << chain.status();
  EXPECT_FALSE(chain.Next().has_value());
}

TEST_F(WriteChainTest, TheWriterOfAnEarlierTermIsRefusedAtEachStep) {
  ASSERT_TRUE(Write(SyncTo(Jobs(1, 3))).ok());
  const LedgerChange sync = SyncTo(Jobs(1, 400));
  int steps = 0;
  for (bool is_over = false; !is_over; ++steps) {
    WriteChain chain(keys_, "c", term_);
    chain.Begin({&sync, 1});
    is_over = !RunSome(chain, steps);
    term_ = ElectFor(*client_, keys_, "c");
    const auto request = chain.Next();
    if (is_over || !request.has_value()) break;
    chain.Note(client_->Txn(*request));
    EXPECT_TRUE(absl::IsAborted(chain.status())) << chain.status();
  }
  EXPECT_GT(steps, 4);
}

// As a redo record it would count, and could not be applied.
TEST_F(WriteChainTest, AChangeThatCannotBeReadBackIsNotWritten) {
  ASSERT_TRUE(Write(SyncTo(Jobs(1, 3))).ok());
  StoredCluster invalid = Jobs(1, 5);
  invalid.holdings.back().communication_share = 2.0F;
  EXPECT_TRUE(absl::IsDataLoss(Write(SyncTo(invalid))));
  EXPECT_EQ(Loaded().holdings.size(), 3u);
  EXPECT_TRUE(Write(SyncTo(Jobs(1, 4))).ok());
  EXPECT_EQ(Loaded().holdings.size(), 4u);
}

TEST_F(WriteChainTest, ARedoRecordHasAsManyPartsAsItsEndSays) {
  const std::vector<std::string> parts = RedoPartsOf(SyncTo(Jobs(1, 3)));
  ASSERT_EQ(parts.size(), 1u);
  ClusterPairs pairs = {{cluster_keys::Part(cluster_keys::kRedo, 0), parts[0]},
                        {std::string(cluster_keys::kRedoEnd), "1"}};
  EXPECT_TRUE(ReadRedo("c", pairs)->has_value());
  for (const char* const number : {"0", "2", "", "x"}) {
    pairs[std::string(cluster_keys::kRedoEnd)] = number;
    EXPECT_TRUE(absl::IsDataLoss(ReadRedo("c", pairs).status())) << number;
  }
}

// Otherwise no leader could ever serve the cluster again.
TEST_F(WriteChainTest, AnInvalidRedoRecordIsReplacedByASync) {
  ASSERT_TRUE(Write(SyncTo(Jobs(1, 3))).ok());
  const std::string redo = keys_.Cluster("c");
  for (const std::string& part : {std::string(), std::string("\xff")}) {
    etcdserverpb::TxnRequest request;
    const auto put = [&](const std::string& key, const std::string& value) {
      auto& one = *request.add_success()->mutable_request_put();
      one.set_key(redo + key);
      one.set_value(value);
    };
    put(std::string(cluster_keys::kRedoEnd), "1");
    if (!part.empty()) put(cluster_keys::Part(cluster_keys::kRedo, 0), part);
    ASSERT_TRUE(client_->Txn(request).ok());
    term_ = ElectFor(*client_, keys_, "c");
    LedgerChange change;
    change.cluster = "c";
    change.gone = {2};
    EXPECT_TRUE(absl::IsDataLoss(Write(change)));
    EXPECT_TRUE(Write(SyncTo(Jobs(1, 5))).ok());
    EXPECT_TRUE(Write(change).ok());
    EXPECT_EQ(Loaded().holdings.size(), 4u);
  }
}

// Restored from a backup, with the leader key and all.
TEST_F(WriteChainTest, RevisionsThatFallEndTheTerm) {
  ASSERT_TRUE(Write(SyncTo(Jobs(1, 3))).ok());
  LedgerChange change;
  change.cluster = "c";
  change.gone = {2};
  for (const bool has_gone_on : {false, true}) {
    WriteChain chain(keys_, "c", term_);
    chain.Begin({&change, 1});
    ASSERT_TRUE(RunSome(chain, 1));
    const auto read = client_->Txn(*chain.Next());
    ASSERT_TRUE(read.ok());
    chain.Note(absl::UnavailableError("no response in time"));
    chain.Begin({&change, 1});
    auto older = client_->Txn(*chain.Next());
    ASSERT_TRUE(older.ok());
    if (has_gone_on) {
      auto& fence = *older->mutable_responses(0)->mutable_response_range();
      fence.mutable_kvs(0)->set_mod_revision(static_cast<std::int64_t>(term_));
    } else {
      older->mutable_header()->set_revision(static_cast<std::int64_t>(term_));
    }
    chain.Note(older);
    EXPECT_TRUE(absl::IsAborted(chain.status())) << chain.status();
    EXPECT_FALSE(chain.Next().has_value());
  }
}

TEST_F(WriteChainTest, InvalidValuesAreNamed) {
  ASSERT_TRUE(Write(SyncTo(Jobs(1, 3))).ok());
  etcdserverpb::TxnRequest request;
  auto& put = *request.add_success()->mutable_request_put();
  put.set_key(keys_.Cluster("c") + "jobs/0000000002");
  put.set_value("\xff");
  ASSERT_TRUE(client_->Txn(request).ok());
  const auto loaded = store_->Load();
  EXPECT_TRUE(absl::IsDataLoss(loaded.status()));
  EXPECT_THAT(std::string(loaded.status().message()),
              ::testing::HasSubstr("clusters/c/jobs%2F0000000002"));
}

}  // namespace
}  // namespace coolspan
