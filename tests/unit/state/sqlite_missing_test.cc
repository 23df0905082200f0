// SPDX-License-Identifier: GPL-3.0-or-later
// A ledger that lacks changes which an earlier daemon wrote: SQLite cannot tell
// it from one in which they were never made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "unit/state/sqlite_stores_test.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

class SqliteMissingTest : public SqliteStoresTest {
 protected:
  // As a kill leaves the files: with the changes in the write-ahead log.
  void WriteAndKill(int changes) const {
    const auto copy = [](const std::string& name, const std::string& to) {
      std::filesystem::copy_file(
          name, to, std::filesystem::copy_options::overwrite_existing);
    };
    {
      const auto stores = Open();
      for (int i = 0; i < changes; ++i) {
        const LedgerChange change = SyncTo(ClusterOf({HoldingOf(1, "n1")}));
        ASSERT_TRUE(stores->ledger.Write(change).ok());
      }
      copy(path_, folder_.File("k.db"));
      copy(path_ + "-wal", folder_.File("k.db-wal"));
    }
    copy(folder_.File("k.db"), path_);
    copy(folder_.File("k.db-wal"), path_ + "-wal");
  }
  std::string Missing() const {
    return Open()->ledger.store().MissingChanges();
  }
};

TEST_F(SqliteMissingTest, NothingAfterAKill) {
  WriteAndKill(5);
  EXPECT_EQ(Missing(), "");
  EXPECT_EQ(Missing(), "");
}

TEST_F(SqliteMissingTest, ARemovedLogIsNoticed) {
  ASSERT_TRUE(
      Open()->ledger.Write(SyncTo(ClusterOf({HoldingOf(1, "n1")}))).ok());
  WriteAndKill(5);
  std::filesystem::remove(path_ + "-wal");
  EXPECT_THAT(Missing(), HasSubstr("the last 5 of 6 changes are missing"));
  // Until a Sync, whatever happens to the daemon.
  for (int start = 0; start < 2; ++start) {
    EXPECT_TRUE(Open()->ledger.Load()->front().is_incomplete);
  }
  EXPECT_EQ(Missing(), "") << "said once";
  ASSERT_TRUE(Open()->ledger.Write(SyncTo(ClusterOf({}))).ok());
  EXPECT_FALSE(Open()->ledger.Load()->front().is_incomplete);
}

TEST_F(SqliteMissingTest, ACutOffLogIsNoticed) {
  WriteAndKill(5);
  std::filesystem::resize_file(path_ + "-wal", 32 + 3 * (4096 + 24));
  EXPECT_THAT(Missing(), HasSubstr("changes are missing"));
}

TEST_F(SqliteMissingTest, ADamagedLogIsNoticed) {
  WriteAndKill(5);
  std::fstream log(path_ + "-wal",
                   std::ios::in | std::ios::out | std::ios::binary);
  log.seekp(32 + 2 * (4096 + 24) + 100);
  log << "damage";
  log.close();
  EXPECT_THAT(Missing(), HasSubstr("changes are missing"));
}

TEST_F(SqliteMissingTest, AnOlderCopyIsNoticed) {
  ASSERT_TRUE(Open()->ledger.Write(SyncTo(ClusterOf({}))).ok());
  std::filesystem::copy_file(path_, folder_.File("backup.db"));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Open()->ledger.Write(SyncTo(ClusterOf({}))).ok());
  }
  std::filesystem::copy_file(folder_.File("backup.db"), path_,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(Missing(), HasSubstr("the last 3 of 4 changes are missing"));
}

TEST_F(SqliteMissingTest, AFileWithoutALockFileIsTaken) {
  ASSERT_TRUE(Open()->ledger.Write(SyncTo(ClusterOf({}))).ok());
  std::filesystem::remove(path_ + ".lock");
  EXPECT_EQ(Missing(), "");
  std::ofstream(path_ + ".lock") << "changes=many";
  EXPECT_EQ(Missing(), "") << "not a number";
}

TEST_F(SqliteMissingTest, LearningIsKept) {
  StoredLearning learned;
  for (const char* const content : {"[1]", "[2]"}) {
    learned = StoredLearning{"room", "m1", 5, content};
    ASSERT_TRUE(Open()->ledger.store().SaveLearned(learned).ok());
  }
  EXPECT_THAT(*Open()->ledger.store().LoadLearned(),
              ::testing::ElementsAre(learned));
}

TEST_F(SqliteMissingTest, ARemovedClusterLeavesNothing) {
  LedgerChange change = SyncTo(ClusterOf({HoldingOf(1, "n1")}));
  change.heard_ms = 77;
  const auto stores = Open();
  ASSERT_TRUE(stores->ledger.Write(change).ok());
  EXPECT_EQ(stores->ledger.Load()->front().heard_ms, 77);
  LedgerChange removed;
  removed.cluster = "c";
  removed.is_removed = true;
  ASSERT_TRUE(stores->ledger.Write(removed).ok());
  EXPECT_TRUE(stores->ledger.Load()->empty());
  ASSERT_TRUE(stores->ledger.Write(SyncTo(ClusterOf({}))).ok());
  EXPECT_EQ(stores->ledger.Load()->front().heard_ms, 0);
}

}  // namespace
}  // namespace coolspan
