// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_STATE_SQLITE_STORE_TEST_H_
#define COOLSPAN_TESTS_UNIT_STATE_SQLITE_STORE_TEST_H_

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "state/sqlite_store.h"
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

inline StoredChange SyncTo(StoredCluster cluster) {
  StoredChange change;
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

class SqliteStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<Store> Open() const {
    auto store = OpenSqliteStore(path_);
    EXPECT_TRUE(store.ok()) << store.status();
    return store.ok() ? *std::move(store) : nullptr;
  }
  // Returns the error message; checks the code.
  std::string OpenError(absl::StatusCode code) const {
    auto store = OpenSqliteStore(path_);
    EXPECT_EQ(store.status().code(), code) << store.status();
    return std::string(store.status().message());
  }
  // Runs SQL on the file. REQUIRES that no store has it open.
  void Execute(const std::string& sql) const {
    sqlite3* file = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &file), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(file, sql.c_str(), nullptr, nullptr, nullptr),
              SQLITE_OK)
        << sqlite3_errmsg(file);
    sqlite3_close(file);
  }

  ScratchFolder folder_;
  const std::string path_ = folder_.File("state.db");
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_STATE_SQLITE_STORE_TEST_H_
