// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/sqlite_rows.h"

#include <gtest/gtest.h>

#include <string>

#include "state/sqlite_connection.h"
#include "state/sqlite_schema.h"
#include "unit/state/sqlite_store_test.h"

namespace coolspan {
namespace {

StoredCluster ClusterOf(const std::string& node_table) {
  StoredCluster cluster;
  cluster.name = "c";
  cluster.node_table = node_table;
  return cluster;
}

// The database is full after a few pages; the parameter selects the part of the
// change that fails.
class FullDatabaseTest : public ::testing::TestWithParam<int> {
 protected:
  FullDatabaseTest() {
    EXPECT_TRUE(PrepareSchema(connection_).ok());
    StoredChange first;
    first.cluster = "c";
    first.synced = ClusterOf("n[1-8]");
    first.held = {HoldingOf(1, "n1")};
    EXPECT_TRUE(Write({first}).ok());
    EXPECT_TRUE(connection_.Run("PRAGMA max_page_count = 30").ok());
  }

  absl::Status Write(const std::vector<StoredChange>& changes) {
    auto writer = SqliteWriter::Prepare(connection_);
    if (!writer.ok()) return writer.status();
    return connection_.InTransaction([&] {
      absl::Status status;
      for (const StoredChange& change : changes) {
        status = writer->Write(change);
        if (!status.ok()) break;
      }
      return status;
    });
  }

  ScratchFolder folder_;
  SqliteConnection connection_ = *SqliteConnection::Open(
      folder_.File("state.db"), SqliteConnection::Mode::kReadWrite);
};

TEST_P(FullDatabaseTest, FailedBatchChangesNothing) {
  StoredChange change;
  change.cluster = "c";
  const std::string large(500'000, 'n');
  StoredDecision decision;
  decision.id = "2.0.1";
  if (GetParam() == 0) {
    change.synced = ClusterOf(large);
  } else if (GetParam() == 1) {
    change.held = {HoldingOf(2, "n2"), HoldingOf(3, large), HoldingOf(4, "n4")};
  } else if (GetParam() == 2) {
    change.queue = StoredQueue{large, 1, false};
  } else {
    decision.why = large;
  }
  change.gone = {1};
  change.decisions = {decision};
  StoredChange later;
  later.cluster = "c";
  later.held = {HoldingOf(5, "n5")};
  EXPECT_TRUE(absl::IsUnavailable(Write({change, later})));
  const auto clusters = ReadClusters(connection_);
  ASSERT_TRUE(clusters.ok()) << clusters.status();
  ASSERT_EQ(clusters->size(), 1u);
  EXPECT_EQ(clusters->front().node_table, "n[1-8]");
  ASSERT_EQ(clusters->front().holdings.size(), 1u);
  EXPECT_EQ(clusters->front().holdings[0], HoldingOf(1, "n1"));
  EXPECT_TRUE(ReadDecisions(connection_, "c", 0, 9)->empty());
  EXPECT_TRUE(Write({later}).ok()) << "the next batch must succeed";
  EXPECT_EQ(ReadClusters(connection_)->front().holdings.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Parts, FullDatabaseTest, ::testing::Range(0, 4));

TEST_P(FullDatabaseTest, RollbackBySqliteIsNotAnotherError) {
  const absl::Status status = connection_.InTransaction([&] {
    EXPECT_TRUE(connection_.Run("ROLLBACK").ok());
    return absl::UnavailableError("first error");
  });
  EXPECT_EQ(status, absl::UnavailableError("first error"));
}

}  // namespace
}  // namespace coolspan
