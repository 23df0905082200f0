// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/set_aside.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "unit/state/sqlite_stores_test.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

using SetAsideTest = SqliteStoresTest;

std::string ContentOf(const std::string& path) {
  std::stringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

TEST_F(SetAsideTest, RenamesTheFileWithItsLog) {
  std::ofstream(path_) << "database";
  std::ofstream(path_ + "-wal") << "log";
  std::ofstream(path_ + "-shm") << "index";
  const auto name = SetAside(path_, "state.sqlite");
  ASSERT_TRUE(name.ok()) << name.status();
  EXPECT_THAT(*name, MatchesRegex(".*/state\\.db\\.corrupt-[0-9]+T[0-9]+Z"));
  EXPECT_EQ(ContentOf(*name), "database");
  EXPECT_EQ(ContentOf(*name + "-wal"), "log");
  EXPECT_EQ(ContentOf(*name + "-shm"), "index");
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_FALSE(std::filesystem::exists(path_ + "-wal"));
}

TEST_F(SetAsideTest, OverwritesNothing) {
  std::string names[3];
  for (std::string& name : names) {
    std::ofstream(path_) << &name;
    name = *SetAside(path_, "state.sqlite");
  }
  for (const std::string& name : names) {
    std::stringstream expected;
    expected << &name;
    EXPECT_EQ(ContentOf(name), expected.str()) << name;
  }
}

TEST_F(SetAsideTest, AFileInUseIsRefused) {
  const auto stores = Open();
  const auto name = SetAside(path_, "state.sqlite");
  EXPECT_TRUE(absl::IsFailedPrecondition(name.status())) << name.status();
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(SetAsideTest, FollowsALink) {
  const std::string link = folder_.File("link.db");
  std::ofstream(path_) << "database";
  std::filesystem::create_symlink(path_, link);
  const auto name = SetAside(link, "state.sqlite");
  ASSERT_TRUE(name.ok()) << name.status();
  EXPECT_THAT(*name, HasSubstr("/state.db.corrupt-"));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
}

// The end of the last connection would copy the log to the database.
TEST_F(SetAsideTest, RefusingACorruptFileLeavesItAsItIs) {
  ASSERT_NE(Open(), nullptr);
  {
    // A process that ends without closing the database.
    const auto stores = Open();
    ASSERT_TRUE(
        stores->ledger.Write(SyncTo(ClusterOf({HoldingOf(1, "n1")}))).ok());
    std::filesystem::copy_file(path_, folder_.File("copy.db"));
    std::filesystem::copy_file(path_ + "-wal", folder_.File("copy.db-wal"));
  }
  std::filesystem::rename(folder_.File("copy.db"), path_);
  std::filesystem::rename(folder_.File("copy.db-wal"), path_ + "-wal");
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  // A page that the log does not have.
  file.seekp(4096 * 5);
  file << std::string(4096, '\xee');
  file.close();
  const std::string database = ContentOf(path_);
  const std::string log = ContentOf(path_ + "-wal");
  OpenError(absl::StatusCode::kDataLoss);
  EXPECT_TRUE(ContentOf(path_) == database);
  EXPECT_TRUE(ContentOf(path_ + "-wal") == log);
}

class CorruptArchiveTest : public SqliteStoresTest {
 protected:
  static void Damage(const std::string& path) {
    const auto bytes = std::filesystem::file_size(path);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    for (std::uintmax_t at = 2 * 4096; at < bytes; at += 4096) {
      file.seekp(static_cast<std::streamoff>(at));
      file << std::string(4096, '\xee');
    }
  }
  static ArchiveChange Decisions(std::uint32_t first, std::uint32_t last) {
    ArchiveChange change;
    change.cluster = "c";
    for (std::uint32_t job = first; job <= last; ++job) {
      change.decisions.push_back(DecisionOf(job, 1, 100));
      change.decisions.back().why = std::string(3000, 'w');
    }
    return change;
  }
  bool ReadsUntilCorrupt(DecisionArchive& archive) {
    for (std::uint32_t job = 1; job <= 3000; ++job) {
      if (absl::IsDataLoss(archive.DecisionsOf("c", job, 1).status())) {
        return true;
      }
    }
    return false;
  }
};

TEST_F(CorruptArchiveTest, IsReplacedWhileInUse) {
  const auto archive = *OpenSqliteArchive(archive_path_);
  const ArchiveChange many = Decisions(1, 3000);
  ASSERT_TRUE(archive->Write({&many, 1}).ok());
  Execute(archive_path_, "PRAGMA wal_checkpoint(TRUNCATE)");
  Damage(archive_path_);
  const std::string damaged = ContentOf(archive_path_);
  ASSERT_TRUE(ReadsUntilCorrupt(*archive));
  const ArchiveChange next = Decisions(5000, 5001);
  EXPECT_TRUE(archive->Write({&next, 1}).ok());
  EXPECT_EQ(archive->DecisionsOf("c", 5001, 1)->size(), 1u);
  EXPECT_THAT(*archive->DecisionsOf("c", 1, 1), IsEmpty());
  const ArchiveCondition condition = archive->Condition();
  ASSERT_EQ(condition.set_aside.size(), 1u);
  EXPECT_THAT(condition.set_aside[0], HasSubstr("state.db-archive.corrupt-"));
  std::string aside = condition.set_aside[0];
  aside.resize(aside.find(" ("));
  EXPECT_TRUE(ContentOf(aside) == damaged) << "nothing is destroyed";
}

TEST_F(CorruptArchiveTest, ABrokenDiskIsNotFilled) {
  const auto archive = *OpenSqliteArchive(archive_path_);
  int replaced = 0;
  for (int time = 0; time < 8; ++time) {
    const ArchiveChange many = Decisions(1, 3000);
    if (!archive->Write({&many, 1}).ok()) break;
    Execute(archive_path_, "PRAGMA wal_checkpoint(TRUNCATE)");
    Damage(archive_path_);
    ASSERT_TRUE(ReadsUntilCorrupt(*archive));
    ++replaced;
  }
  EXPECT_EQ(replaced, 6) << "five times, then it stays corrupt";
  EXPECT_EQ(archive->Condition().set_aside.size(), 5u);
}

}  // namespace
}  // namespace coolspan
