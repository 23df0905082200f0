// SPDX-License-Identifier: GPL-3.0-or-later
// Transactions on a database that is full after a few pages.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "state/sqlite_archive_rows.h"
#include "state/sqlite_archive_schema.h"
#include "state/sqlite_connection.h"
#include "state/sqlite_ledger_rows.h"
#include "state/sqlite_ledger_schema.h"
#include "unit/state/sqlite_stores_test.h"

namespace coolspan {
namespace {

const std::string kLarge(500'000, 'n');

template <typename Writer, typename Change>
absl::Status WriteAll(SqliteConnection& connection,
                      const std::vector<Change>& changes) {
  auto writer = Writer::Prepare(connection);
  if (!writer.ok()) return writer.status();
  return connection.InTransaction([&] {
    absl::Status status;
    for (const Change& change : changes) {
      status = writer->Write(change);
      if (!status.ok()) break;
    }
    return status;
  });
}

class FullDatabaseTest : public ::testing::Test {
 protected:
  void LimitSize() {
    EXPECT_TRUE(connection_.Run("PRAGMA max_page_count = 30").ok());
  }

  ScratchFolder folder_;
  SqliteConnection connection_ = *SqliteConnection::Open(
      folder_.File("state.db"), SqliteConnection::Mode::kReadWrite);
};

// The parameter selects the part of the change that fails.
class FullLedgerTest : public FullDatabaseTest,
                       public ::testing::WithParamInterface<int> {};

TEST_P(FullLedgerTest, FailedBatchChangesNothing) {
  const auto write = [this](const std::vector<LedgerChange>& changes) {
    return WriteAll<SqliteLedgerWriter>(connection_, changes);
  };
  ASSERT_TRUE(PrepareSchema(connection_, kLedgerSchema).ok());
  StoredCluster cluster;
  cluster.name = "c";
  cluster.node_table = "n[1-8]";
  LedgerChange first = SyncTo(cluster);
  first.held = {HoldingOf(1, "n1")};
  ASSERT_TRUE(write({first}).ok());
  LimitSize();
  LedgerChange change;
  change.cluster = "c";
  if (GetParam() == 0) {
    cluster.node_table = kLarge;
    change.synced = cluster;
  } else if (GetParam() == 1) {
    change.held = {HoldingOf(2, "n2"), HoldingOf(3, kLarge),
                   HoldingOf(4, "n4")};
  } else {
    change.queue = StoredQueue{kLarge, 1, false};
  }
  change.gone = {1};
  LedgerChange later;
  later.cluster = "c";
  later.held = {HoldingOf(5, "n5")};
  EXPECT_TRUE(absl::IsUnavailable(write({change, later})));
  const auto clusters = ReadClusters(connection_);
  ASSERT_TRUE(clusters.ok()) << clusters.status();
  ASSERT_EQ(clusters->size(), 1u);
  EXPECT_EQ(clusters->front().node_table, "n[1-8]");
  ASSERT_EQ(clusters->front().holdings.size(), 1u);
  EXPECT_EQ(clusters->front().holdings[0], HoldingOf(1, "n1"));
  EXPECT_TRUE(write({later}).ok()) << "the next batch must succeed";
  EXPECT_EQ(ReadClusters(connection_)->front().holdings.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Parts, FullLedgerTest, ::testing::Range(0, 3));

TEST_F(FullDatabaseTest, FailedBatchOfDecisionsChangesNothing) {
  const auto write = [this](const std::vector<ArchiveChange>& changes) {
    return WriteAll<SqliteArchiveWriter>(connection_, changes);
  };
  ASSERT_TRUE(PrepareSchema(connection_, kArchiveSchema).ok());
  LimitSize();
  ArchiveChange change;
  change.cluster = "c";
  change.decisions = {DecisionOf(1, 1, 5), DecisionOf(1, 2, 6)};
  change.decisions[1].why = kLarge;
  EXPECT_TRUE(absl::IsUnavailable(write({change})));
  EXPECT_TRUE(ReadDecisions(connection_, "c", 1, 9)->empty());
  change.decisions.pop_back();
  EXPECT_TRUE(write({change}).ok()) << "the next batch must succeed";
  EXPECT_EQ(ReadDecisions(connection_, "c", 1, 9)->size(), 1u);
}

TEST_F(FullDatabaseTest, RollbackBySqliteIsNotAnotherError) {
  const absl::Status status = connection_.InTransaction([&] {
    EXPECT_TRUE(connection_.Run("ROLLBACK").ok());
    return absl::UnavailableError("first error");
  });
  EXPECT_EQ(status, absl::UnavailableError("first error"));
}

}  // namespace
}  // namespace coolspan
