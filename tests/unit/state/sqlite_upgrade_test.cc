// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/state/sqlite_store_test.h"

namespace coolspan {
namespace {

using ::testing::IsEmpty;

class SqliteUpgradeTest : public SqliteStoreTest {
 protected:
  // Turns the file into one of an earlier version. REQUIRES that no store has
  // it open.
  void Downgrade(int version) const {
    const struct {
      int version;
      const char* lacks;
    } kEarlier[] = {
        {6, "ALTER TABLE holdings DROP COLUMN expected_end_ms;"},
        {5,
         "ALTER TABLE starts DROP COLUMN ended_ms;"
         "ALTER TABLE starts DROP COLUMN submitted_s;"
         "ALTER TABLE starts DROP COLUMN time_limit_s;"},
        {4, "DROP TABLE starts;"},
        {3,
         "ALTER TABLE decisions DROP COLUMN mode;"
         "ALTER TABLE clusters DROP COLUMN mode;"},
        {2, "ALTER TABLE holdings DROP COLUMN communication_share;"},
        {1, "ALTER TABLE decisions DROP COLUMN rule;"},
    };
    for (const auto& earlier : kEarlier) {
      if (earlier.version >= version) Execute(earlier.lacks);
    }
    Execute("PRAGMA user_version = " + std::to_string(version));
  }
};

// Version 1 has no column for the rule of a decision.
TEST_F(SqliteUpgradeTest, UpgradesVersion1) {
  StoredChange change = SyncTo(ClusterOf({HoldingOf(1, "n1")}));
  change.decisions = {DecisionOf(1, 1, 5)};
  ASSERT_TRUE(Open()->Write({&change, 1}).ok());
  Downgrade(1);
  const auto store = Open();
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(store->Load()->front().holdings.size(), 1u);
  auto kept = store->DecisionsOf("c", 1, 10);
  ASSERT_TRUE(kept.ok()) << kept.status();
  ASSERT_EQ(kept->size(), 1u);
  EXPECT_EQ(kept->front().rule, "");
  EXPECT_EQ(kept->front().why, change.decisions[0].why);
  change.synced.reset();
  change.decisions = {DecisionOf(1, 2, 6)};
  change.decisions[0].rule = "rule 1, line 3";
  ASSERT_TRUE(store->Write({&change, 1}).ok());
  EXPECT_EQ(store->DecisionsOf("c", 1, 1)->front().rule, "rule 1, line 3");
}

// Version 2 has no column for the communication share of a holding.
TEST_F(SqliteUpgradeTest, UpgradesVersion2) {
  StoredChange change = SyncTo(ClusterOf({HoldingOf(1, "n1")}));
  change.decisions = {DecisionOf(1, 1, 5)};
  change.decisions[0].rule = "rule 1, line 3";
  ASSERT_TRUE(Open()->Write({&change, 1}).ok());
  Downgrade(2);
  const auto store = Open();
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(store->Load()->front().holdings, change.synced->holdings);
  EXPECT_EQ(store->DecisionsOf("c", 1, 1)->front().rule, "rule 1, line 3");
  change.synced.reset();
  change.decisions.clear();
  change.held = {HoldingOf(1, "n2")};
  change.held[0].communication_share = 1.0F;
  ASSERT_TRUE(store->Write({&change, 1}).ok());
  EXPECT_EQ(store->Load()->front().holdings, change.held);
}

// Version 3 has no columns for modes.
TEST_F(SqliteUpgradeTest, UpgradesVersion3) {
  StoredChange change = SyncTo(ClusterOf({HoldingOf(1, "n1")}));
  change.decisions = {DecisionOf(1, 1, 5)};
  ASSERT_TRUE(Open()->Write({&change, 1}).ok());
  Downgrade(3);
  const auto store = Open();
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(store->Load()->front().mode, "");
  EXPECT_EQ(store->DecisionsOf("c", 1, 1)->front().mode, "");
}

// Version 4 has no table of job starts.
TEST_F(SqliteUpgradeTest, UpgradesVersion4) {
  StoredChange change = SyncTo(ClusterOf({HoldingOf(1, "n1")}));
  change.decisions = {DecisionOf(1, 1, 5)};
  ASSERT_TRUE(Open()->Write({&change, 1}).ok());
  Downgrade(4);
  const auto store = Open();
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(store->DecisionsOf("c", 1, 9)->size(), 1u);
  EXPECT_THAT(*store->StartsOf("c", {StartQuery::By::kJob, 1}, 9), IsEmpty());
  change.starts.emplace_back().job = {1, 0};
  ASSERT_TRUE(store->Write({&change, 1}).ok());
  EXPECT_EQ(store->StartsOf("c", {StartQuery::By::kJob, 1}, 9)->size(), 1u);
}

// Version 5 has no ends of jobs.
TEST_F(SqliteUpgradeTest, UpgradesVersion5) {
  StoredChange change = SyncTo(ClusterOf({HoldingOf(1, "n1")}));
  change.starts.emplace_back().job = {1, 0};
  ASSERT_TRUE(Open()->Write({&change, 1}).ok());
  Downgrade(5);
  const auto store = Open();
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(store->History("c", {}, 9)->starts.size(), 1u);
  change = {};
  change.cluster = "c";
  change.ends = {{{1, 0}, 50}};
  ASSERT_TRUE(store->Write({&change, 1}).ok());
  EXPECT_EQ(store->History("c", {}, 9)->starts.front().ended_ms, 50);
}

// Version 6 has no expected ends of holdings.
TEST_F(SqliteUpgradeTest, UpgradesVersion6) {
  StoredChange change = SyncTo(ClusterOf({HoldingOf(1, "n1")}));
  change.synced->holdings[0].expected_end_ms = 5;
  ASSERT_TRUE(Open()->Write({&change, 1}).ok());
  Downgrade(6);
  const auto store = Open();
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(store->Load()->front().holdings,
            ClusterOf({HoldingOf(1, "n1")}).holdings);
  ASSERT_TRUE(store->Write({&change, 1}).ok());
  EXPECT_EQ(store->Load()->front().holdings, change.synced->holdings);
}

}  // namespace
}  // namespace coolspan
