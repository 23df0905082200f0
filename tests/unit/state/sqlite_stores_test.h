// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_STATE_SQLITE_STORES_TEST_H_
#define COOLSPAN_TESTS_UNIT_STATE_SQLITE_STORES_TEST_H_

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "state/sqlite_archive.h"
#include "state/sqlite_ledger.h"
#include "unit/state/scratch_folder.h"

namespace coolspan {

inline StoredHolding HoldingOf(std::uint32_t job_id, const std::string& nodes) {
  StoredHolding holding;
  holding.job = {job_id, 0};
  holding.committed = true;
  holding.nodes = nodes;
  return holding;
}

inline StoredCluster ClusterOf(std::vector<StoredHolding> holdings) {
  StoredCluster cluster;
  cluster.name = "c";
  cluster.node_table = "n[1-8]";
  cluster.capacity = {4, 4, 4, 4, 8, 8, 8, 8};
  cluster.last_sync_ms = 1'700'000'000'000;
  cluster.queues = {{"q1", 7, false}, {"q0", 0, true}};
  cluster.holdings = std::move(holdings);
  return cluster;
}

inline LedgerChange SyncTo(StoredCluster cluster) {
  LedgerChange change;
  change.cluster = cluster.name;
  change.synced = std::move(cluster);
  return change;
}

inline StoredDecision DecisionOf(std::uint32_t job_id, std::uint64_t attempt,
                                 TimeMs recorded_ms) {
  StoredDecision decision;
  decision.id = std::to_string(job_id) + ".0." + std::to_string(attempt);
  decision.job = {job_id, 0};
  decision.attempt = attempt;
  decision.decided_ms = recorded_ms - 1;
  decision.recorded_ms = recorded_ms;
  decision.placed = true;
  decision.nodes = "n[1-2]";
  decision.policy = "first-fit";
  decision.ordering = "hilbert";
  decision.rule = "rule 2 \"gpu\", line 14";
  decision.why = "first-fit: from rank 0";
  decision.facts = {{"from_rank", "0"}, {"quote", "\"'\\\xff"}};
  decision.elapsed_us = 1.5;
  decision.available = 8;
  decision.outcome = "tentative";
  return decision;
}

// A ledger in the term that it begins.
class TermLedger {
 public:
  explicit TermLedger(std::unique_ptr<LedgerStore> store)
      : store_(std::move(store)), term_(*store_->BeginTerm()) {}

  absl::StatusOr<std::vector<StoredCluster>> Load() { return store_->Load(); }
  absl::Status Write(std::span<const LedgerChange> changes) {
    const TermChanges write{"c", term_, {changes.begin(), changes.end()}};
    return store_->Write({&write, 1}).front();
  }
  absl::Status Write(const LedgerChange& change) { return Write({&change, 1}); }
  LedgerStore& store() { return *store_; }

 private:
  std::unique_ptr<LedgerStore> store_;
  std::uint64_t term_;
};

class SqliteStoresTest : public ::testing::Test {
 protected:
  // As the daemon does: the archive first.
  struct Stores {
    std::unique_ptr<DecisionArchive> archive;
    TermLedger ledger;
  };
  std::unique_ptr<Stores> Open() const {
    auto archive = OpenSqliteArchive(archive_path_);
    EXPECT_TRUE(archive.ok()) << archive.status();
    if (!archive.ok()) return nullptr;
    auto ledger = OpenSqliteLedger(path_, archive_path_);
    EXPECT_TRUE(ledger.ok()) << ledger.status();
    if (!ledger.ok()) return nullptr;
    return std::make_unique<Stores>(
        Stores{*std::move(archive), TermLedger(*std::move(ledger))});
  }
  // Returns the error message of opening the ledger; checks the code.
  std::string OpenError(absl::StatusCode code) const {
    const auto ledger = OpenSqliteLedger(path_, archive_path_);
    EXPECT_EQ(ledger.status().code(), code) << ledger.status();
    return std::string(ledger.status().message());
  }
  // Runs SQL on the file of the ledger. REQUIRES that no store has it open.
  void Execute(const std::string& sql) const { Execute(path_, sql); }
  static void Execute(const std::string& path, const std::string& sql) {
    sqlite3* file = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &file), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(file, sql.c_str(), nullptr, nullptr, nullptr),
              SQLITE_OK)
        << sqlite3_errmsg(file);
    sqlite3_close(file);
  }

  ScratchFolder folder_;
  const std::string path_ = folder_.File("state.db");
  const std::string archive_path_ = folder_.File("state.db-archive");
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_STATE_SQLITE_STORES_TEST_H_
