// SPDX-License-Identifier: GPL-3.0-or-later
// Files of earlier schema versions. Up to version 7, one file had the ledger
// and the history.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "unit/state/sqlite_stores_test.h"

namespace coolspan {
namespace {

using ::testing::IsEmpty;

constexpr const char* kVersion7 = R"(
  CREATE TABLE clusters(
    name TEXT PRIMARY KEY, node_table TEXT NOT NULL, capacity TEXT NOT NULL,
    last_sync_ms INTEGER NOT NULL, mode TEXT NOT NULL DEFAULT '')
    WITHOUT ROWID;
  CREATE TABLE queues(
    cluster TEXT NOT NULL, client_id TEXT NOT NULL, sequence INTEGER NOT NULL,
    closed INTEGER NOT NULL, PRIMARY KEY(cluster, client_id)) WITHOUT ROWID;
  CREATE TABLE holdings(
    cluster TEXT NOT NULL, job_id INTEGER NOT NULL, restart INTEGER NOT NULL,
    attempt INTEGER NOT NULL, committed INTEGER NOT NULL,
    whole INTEGER NOT NULL, suspended INTEGER NOT NULL,
    disputed INTEGER NOT NULL, nodes TEXT NOT NULL, units TEXT NOT NULL,
    contested TEXT NOT NULL, expires_ms INTEGER NOT NULL,
    decision_id TEXT NOT NULL, communication_share REAL,
    expected_end_ms INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(cluster, job_id))
    WITHOUT ROWID;
  CREATE TABLE decisions(
    number INTEGER PRIMARY KEY, cluster TEXT NOT NULL, id TEXT NOT NULL,
    job_id INTEGER NOT NULL, restart INTEGER NOT NULL,
    attempt INTEGER NOT NULL, decided_ms INTEGER NOT NULL,
    recorded_ms INTEGER NOT NULL, placed INTEGER NOT NULL,
    nodes TEXT NOT NULL, policy TEXT NOT NULL, ordering TEXT NOT NULL,
    why TEXT NOT NULL, facts TEXT NOT NULL, stopped_early INTEGER NOT NULL,
    elapsed_us REAL NOT NULL, available INTEGER NOT NULL,
    outcome TEXT NOT NULL, committed_nodes TEXT NOT NULL,
    rule TEXT NOT NULL DEFAULT '', mode TEXT NOT NULL DEFAULT '');
  CREATE UNIQUE INDEX decisions_by_job ON decisions(cluster, job_id, id);
  CREATE TABLE starts(
    number INTEGER PRIMARY KEY, cluster TEXT NOT NULL,
    job_id INTEGER NOT NULL, restart INTEGER NOT NULL,
    started_ms INTEGER NOT NULL, recorded_ms INTEGER NOT NULL,
    nodes TEXT NOT NULL, verdict TEXT NOT NULL, reason TEXT NOT NULL,
    decision_id TEXT NOT NULL, array_job_id INTEGER, array_task_id INTEGER,
    het_job_id INTEGER, het_job_offset INTEGER, decided_nodes INTEGER,
    decided_pairwise_total INTEGER, decided_cooling_w REAL,
    actual_nodes INTEGER, actual_pairwise_total INTEGER,
    actual_cooling_w REAL);
  CREATE UNIQUE INDEX starts_by_job
    ON starts(cluster, job_id, restart, started_ms);
  CREATE INDEX starts_by_array ON starts(cluster, array_job_id, array_task_id)
    WHERE array_job_id IS NOT NULL;
  CREATE INDEX starts_by_het_job
    ON starts(cluster, het_job_id, het_job_offset)
    WHERE het_job_id IS NOT NULL;
  ALTER TABLE starts ADD COLUMN ended_ms INTEGER;
  ALTER TABLE starts ADD COLUMN submitted_s INTEGER;
  ALTER TABLE starts ADD COLUMN time_limit_s INTEGER;
  INSERT INTO clusters VALUES('c', 'n[1-8]', '8x4', 5, 'advise');
  INSERT INTO queues VALUES('c', 'q1', 7, 0);
  INSERT INTO holdings VALUES(
    'c', 1, 0, 0, 1, 1, 0, 0, 'n1', '', '', 0, '', 0.5, 9);
  INSERT INTO decisions VALUES(
    6, 'c', '1.0.1', 1, 0, 1, 4, 5, 1, 'n1', 'first-fit', 'hilbert', 'because',
    '{"from_rank":"0"}', 0, 1.5, 8, 'committed', '', 'rule 1, line 3',
    'enforce');
  INSERT INTO starts VALUES(
    3, 'c', 1, 0, 100, 101, 'n1', 'enforced', '', '1.0.1', NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 90, 600);
  PRAGMA application_id = 1668247404;
  PRAGMA user_version = 7;
)";

class SqliteUpgradeTest : public SqliteStoresTest {
 protected:
  void MakeFile(int version) const {
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
    Execute(kVersion7);
    for (const auto& earlier : kEarlier) {
      if (earlier.version >= version) Execute(earlier.lacks);
    }
    Execute("PRAGMA user_version = " + std::to_string(version));
  }
};

class EachVersionTest : public SqliteUpgradeTest,
                        public ::testing::WithParamInterface<int> {};

TEST_P(EachVersionTest, KeepsWhatTheVersionHas) {
  const int version = GetParam();
  MakeFile(version);
  for (const bool is_again : {false, true}) {
    SCOPED_TRACE(is_again);
    const auto stores = Open();
    ASSERT_NE(stores, nullptr);
    const auto clusters = stores->ledger.Load();
    ASSERT_TRUE(clusters.ok()) << clusters.status();
    ASSERT_EQ(clusters->size(), 1u);
    StoredHolding holding = HoldingOf(1, "n1");
    if (version > 2) holding.communication_share = 0.5F;
    holding.expected_end_ms = version > 6 ? 9 : kUnknownEnd;
    EXPECT_THAT(clusters->front().holdings, ::testing::ElementsAre(holding));
    EXPECT_THAT(clusters->front().queues,
                ::testing::ElementsAre(StoredQueue{"q1", 7, false}));
    EXPECT_EQ(clusters->front().mode, version > 3 ? "advise" : "");
    const auto decisions = stores->archive->DecisionsOf("c", 1, 9);
    ASSERT_TRUE(decisions.ok()) << decisions.status();
    ASSERT_EQ(decisions->size(), 1u);
    EXPECT_EQ(decisions->front().why, "because");
    EXPECT_EQ(decisions->front().outcome, "committed");
    EXPECT_EQ(decisions->front().rule, version > 1 ? "rule 1, line 3" : "");
    EXPECT_EQ(decisions->front().mode, version > 3 ? "enforce" : "");
    const auto starts =
        stores->archive->StartsOf("c", {StartQuery::By::kJob, 1}, 9);
    ASSERT_TRUE(starts.ok()) << starts.status();
    if (version <= 4) {
      EXPECT_THAT(*starts, IsEmpty());
    } else {
      ASSERT_EQ(starts->size(), 1u);
      EXPECT_EQ(starts->front().decision_id, "1.0.1");
      EXPECT_EQ(starts->front().time_limit_s, version > 5 ? 600 : 0);
    }
  }
}

// The process ends between copying the history and dropping it.
TEST_F(SqliteUpgradeTest, AnInterruptedMoveIsRepeated) {
  MakeFile(7);
  std::filesystem::copy_file(path_, folder_.File("before.db"));
  ASSERT_NE(Open(), nullptr);
  std::filesystem::copy_file(folder_.File("before.db"), path_,
                             std::filesystem::copy_options::overwrite_existing);
  const auto stores = Open();
  ASSERT_NE(stores, nullptr);
  EXPECT_EQ(stores->archive->DecisionsOf("c", 1, 9)->size(), 1u);
  EXPECT_EQ(stores->archive->History("c", {}, 9)->starts.size(), 1u);
}

TEST_F(SqliteUpgradeTest, TheLedgerReturnsTheSpaceOfTheHistory) {
  MakeFile(7);
  Execute(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
      "WHERE i < 2000) INSERT INTO decisions SELECT 100 + i, 'c', i, 2, 0, 1, "
      "4, 5, 1, 'n1', 'p', 'o', hex(zeroblob(500)), '{}', 0, 1, 8, "
      "'committed', '', '', '' FROM n");
  const auto before = std::filesystem::file_size(path_);
  ASSERT_GT(before, 1'000'000u);
  ASSERT_NE(Open(), nullptr);
  EXPECT_LT(std::filesystem::file_size(path_), before / 4);
}

INSTANTIATE_TEST_SUITE_P(Versions, EachVersionTest, ::testing::Range(1, 8));

TEST_F(SqliteUpgradeTest, AnArchiveOfVersion1) {
  {
    ArchiveChange change;
    change.cluster = "c";
    change.decisions = {DecisionOf(1, 1, 1)};
    ASSERT_TRUE(Open()->archive->Write({&change, 1}).ok());
  }
  Execute(archive_path_, "DROP TABLE removals; PRAGMA user_version = 1;");
  const auto stores = Open();
  ASSERT_NE(stores, nullptr);
  EXPECT_EQ(stores->archive->DecisionsOf("c", 1, 9)->size(), 1u);
  EXPECT_TRUE(stores->archive->BeginRemoval("c").ok());
}

}  // namespace
}  // namespace coolspan
