// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "unit/state/sqlite_stores_test.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

using SqliteLedgerTest = SqliteStoresTest;

TEST_F(SqliteLedgerTest, StartsEmpty) {
  const auto clusters = Open()->ledger.Load();
  ASSERT_TRUE(clusters.ok()) << clusters.status();
  EXPECT_THAT(*clusters, IsEmpty());
}

TEST_F(SqliteLedgerTest, FilesAreNotWorldReadable) {
  using std::filesystem::perms;
  const auto stores = Open();
  ASSERT_TRUE(stores->ledger.Load().ok());
  for (const std::string end : {"", "-wal", "-shm"}) {
    const auto status = std::filesystem::status(path_ + end);
    ASSERT_TRUE(std::filesystem::exists(status)) << end;
    EXPECT_EQ(status.permissions() & perms::others_all, perms::none) << end;
  }
}

TEST_F(SqliteLedgerTest, ChangesAreAppliedInOrder) {
  const auto stores = Open();
  LedgerChange more;
  more.cluster = "c";
  more.held = {HoldingOf(1, "n1"), HoldingOf(2, "n2")};
  more.queue = StoredQueue{"q1", 8, false};
  LedgerChange fewer;
  fewer.cluster = "c";
  fewer.held = {HoldingOf(2, "n3")};
  fewer.gone = {1, 99};
  const std::vector<LedgerChange> changes = {
      SyncTo(ClusterOf({HoldingOf(9, "n8")})), more, fewer};
  ASSERT_TRUE(stores->ledger.Write(changes).ok());
  const auto clusters = stores->ledger.Load();
  ASSERT_EQ(clusters->size(), 1u);
  EXPECT_THAT(clusters->front().holdings,
              ::testing::ElementsAre(HoldingOf(2, "n3"), HoldingOf(9, "n8")));
  EXPECT_THAT(clusters->front().queues,
              ::testing::Contains(StoredQueue{"q1", 8, false}));
  const std::vector<LedgerChange> again = {SyncTo(ClusterOf({}))};
  ASSERT_TRUE(stores->ledger.Write(again).ok());
  EXPECT_THAT(stores->ledger.Load()->front().holdings, IsEmpty());
}

TEST_F(SqliteLedgerTest, SecondOpenIsRefused) {
  const auto stores = Open();
  EXPECT_THAT(OpenError(absl::StatusCode::kFailedPrecondition),
              HasSubstr("the state file is in use by another daemon"));
}

// A path that is entered by mistake. What a daemon has used has a lock file.
TEST_F(SqliteLedgerTest, OtherFilesAreRefused) {
  std::ofstream(path_) << std::string(5000, 'x');
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_THAT(OpenError(absl::StatusCode::kInvalidArgument),
                HasSubstr("is not an SQLite database"));
  }
  EXPECT_EQ(std::filesystem::file_size(path_), 5000u) << "the file was changed";
  EXPECT_FALSE(std::filesystem::exists(path_ + ".lock"));
}

TEST_F(SqliteLedgerTest, GarbageInTheFileIsReportedAsCorrupt) {
  ASSERT_TRUE(Open()->ledger.Load().ok());
  std::ofstream(path_) << std::string(5000, 'x');
  EXPECT_THAT(OpenError(absl::StatusCode::kDataLoss), HasSubstr("corrupt"));
  EXPECT_EQ(std::filesystem::file_size(path_), 5000u) << "the file was changed";
}

TEST_F(SqliteLedgerTest, ATableThatIsMissingIsReportedAsCorrupt) {
  for (const char* const damage :
       {"DROP TABLE queues", "ALTER TABLE clusters RENAME COLUMN mode TO m",
        "DELETE FROM ledger", "UPDATE ledger SET sequence = 'many'"}) {
    std::filesystem::remove(path_);
    ASSERT_TRUE(Open()->ledger.Load().ok());
    Execute(damage);
    EXPECT_THAT(OpenError(absl::StatusCode::kDataLoss), HasSubstr("corrupt"))
        << damage;
  }
}

TEST_F(SqliteLedgerTest, TornPagesAreDetectedOnOpen) {
  {
    const auto stores = Open();
    std::vector<StoredHolding> holdings;
    for (std::uint32_t job = 1; job <= 2000; ++job) {
      holdings.push_back(HoldingOf(job, "n" + std::to_string(job)));
    }
    const std::vector<LedgerChange> changes = {SyncTo(ClusterOf(holdings))};
    ASSERT_TRUE(stores->ledger.Write(changes).ok());
  }
  const auto bytes = std::filesystem::file_size(path_);
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  for (std::uintmax_t at = 5 * 4096; at < bytes; at += 4096) {
    file.seekp(static_cast<std::streamoff>(at));
    file << std::string(200, '\xee');
  }
  file.close();
  EXPECT_THAT(OpenError(absl::StatusCode::kDataLoss),
              HasSubstr(path_ + ": the state file is corrupt"));
}

TEST_F(SqliteLedgerTest, ErrorsQuoteTheFileInPrintableCharacters) {
  ASSERT_TRUE(Open()->ledger.Load().ok());
  std::stringstream bytes;
  bytes << std::ifstream(path_, std::ios::binary).rdbuf();
  std::string file = bytes.str();
  const std::string name = "TABLE queues";
  const std::size_t at = file.find(name);
  ASSERT_NE(at, std::string::npos);
  file.replace(at, name.size(), "TABLE que\x01\xbes");
  std::ofstream(path_, std::ios::binary) << file;
  const std::string error = OpenError(absl::StatusCode::kDataLoss);
  EXPECT_THAT(error, HasSubstr("\\x01"));
  for (const char c : error) EXPECT_TRUE(c >= ' ' && c <= '~') << error;
}

TEST_F(SqliteLedgerTest, TruncatedFileIsReportedAsCorrupt) {
  {
    const auto stores = Open();
    const std::vector<LedgerChange> changes = {SyncTo(ClusterOf({}))};
    ASSERT_TRUE(stores->ledger.Write(changes).ok());
  }
  std::filesystem::resize_file(path_, 4096);
  EXPECT_THAT(OpenError(absl::StatusCode::kDataLoss), HasSubstr("corrupt"));
}

TEST_F(SqliteLedgerTest, DatabaseOfAnotherProgramIsRefused) {
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "CREATE TABLE recipes(name)", nullptr, nullptr,
                         nullptr),
            SQLITE_OK);
  sqlite3_close(other);
  EXPECT_THAT(OpenError(absl::StatusCode::kInvalidArgument),
              HasSubstr("is the database of another program"));
}

TEST_F(SqliteLedgerTest, InvalidCommunicationShareIsRefused) {
  const LedgerChange change = SyncTo(ClusterOf({HoldingOf(1, "n1")}));
  ASSERT_TRUE(Open()->ledger.Write(change).ok());
  for (const char* const share : {"-0.1", "1.5", "9e999"}) {
    Execute(std::string("UPDATE holdings SET communication_share = ") + share);
    EXPECT_THAT(Open()->ledger.Load().status().message(),
                HasSubstr("invalid communication share of job 1"))
        << share;
  }
}

TEST_F(SqliteLedgerTest, UnsupportedSchemaVersionIsRefused) {
  Open();
  Execute("PRAGMA user_version = 99");
  EXPECT_THAT(OpenError(absl::StatusCode::kInvalidArgument),
              HasSubstr("schema version 99 is not supported"));
}

TEST_F(SqliteLedgerTest, ASyncKeepsTheMode) {
  LedgerChange change = SyncTo(ClusterOf({HoldingOf(1, "n1")}));
  change.mode = "advise";
  ASSERT_TRUE(Open()->ledger.Write(change).ok());
  change = SyncTo(ClusterOf({HoldingOf(2, "n1")}));
  ASSERT_TRUE(Open()->ledger.Write(change).ok());
  const auto stores = Open();
  EXPECT_EQ(stores->ledger.Load()->front().mode, "advise");
  EXPECT_EQ(stores->ledger.Load()->front().holdings, change.synced->holdings);
}

TEST_F(SqliteLedgerTest, MissingFolderIsUnavailable) {
  EXPECT_EQ(
      OpenSqliteLedger("/nonexistent/state.db", archive_path_).status().code(),
      absl::StatusCode::kUnavailable);
}

// Each way to give the file another name: a second daemon must not open it.
TEST_F(SqliteLedgerTest, OtherNamesOfTheFileAreInUseToo) {
  const auto stores = Open();
  const std::string link = folder_.File("link.db");
  std::filesystem::create_symlink(path_, link);
  EXPECT_TRUE(absl::IsFailedPrecondition(
      OpenSqliteLedger(link, archive_path_).status()));
  const std::string hard_link = folder_.File("hard.db");
  std::filesystem::create_hard_link(path_, hard_link);
  const absl::Status status =
      OpenSqliteLedger(hard_link, archive_path_).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("2 hard links"));
}

TEST_F(SqliteLedgerTest, AnEarlierTermCannotWrite) {
  const auto stores = Open();
  const LedgerChange change = SyncTo(ClusterOf({HoldingOf(1, "n1")}));
  ASSERT_TRUE(stores->ledger.Write(change).ok());
  const std::uint64_t later = *stores->ledger.store().BeginTerm();
  const absl::Status status = stores->ledger.Write(SyncTo(ClusterOf({})));
  EXPECT_TRUE(absl::IsAborted(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("not leader"));
  EXPECT_EQ(stores->ledger.Load()->front().holdings.size(), 1u);
  const TermChanges write{"c", later, {change}};
  EXPECT_TRUE(stores->ledger.store().Write({&write, 1}).front().ok());
}

TEST_F(SqliteLedgerTest, EachTermIsHigherThanThoseBefore) {
  std::uint64_t last = 0;
  for (int run = 0; run < 3; ++run) {
    const std::uint64_t term = *Open()->ledger.store().BeginTerm();
    EXPECT_GT(term, last);
    last = term;
  }
}

// A commit, which answers wait for, makes no checkpoint: it would sync the
// disk.
TEST_F(SqliteLedgerTest, OnlyMakeDurableMakesCheckpoints) {
  const auto stores = Open();
  TermLedger& ledger = stores->ledger;
  ASSERT_TRUE(ledger.Write(SyncTo(ClusterOf({}))).ok());
  const auto bytes = [this](const char* suffix) {
    return std::filesystem::file_size(path_ + suffix);
  };
  const auto write = [&ledger](std::uint32_t job) {
    LedgerChange change;
    change.cluster = "c";
    change.held = {HoldingOf(job, std::string(3000, 'n'))};
    if (job > 50) change.gone = {job - 50};
    ASSERT_TRUE(ledger.Write(change).ok());
  };
  std::uint32_t job = 0;
  while (job < 1000) write(++job);
  const auto log_without = bytes("-wal");
  const auto before = bytes("");
  EXPECT_GT(log_without, 1500u * 4096);
  ASSERT_TRUE(ledger.store().MakeDurable().ok());
  EXPECT_GT(bytes(""), before) << "copied to the database";
  while (job < 5000) {
    write(++job);
    if (job % 100 == 0) {
      ASSERT_TRUE(ledger.store().MakeDurable().ok());
    }
  }
  EXPECT_EQ(bytes("-wal"), log_without) << "the log is used again";
  EXPECT_EQ(ledger.Load()->front().holdings.size(), 50u);
}

TEST_F(SqliteLedgerTest, MakesWritesDurable) {
  const auto stores = Open();
  ASSERT_TRUE(stores->ledger.Write(SyncTo(ClusterOf({}))).ok());
  EXPECT_TRUE(stores->ledger.store().MakeDurable().ok());
}

// Runs body in a child process, whose limits and user it may change, and
// returns the value of body.
int InChild(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(SqliteLedgerTest, WriteToAFullDiskFailsAndLosesNothing) {
  const auto body = [this] {
    auto stores = Open();
    if (stores == nullptr) return 1;
    TermLedger& ledger = stores->ledger;
    if (!ledger.Write(SyncTo(ClusterOf({HoldingOf(1, "n1")}))).ok()) return 2;
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};  // bytes of any file
    setrlimit(RLIMIT_FSIZE, &limit);
    LedgerChange large;
    large.cluster = "c";
    large.held = {HoldingOf(2, std::string(500'000, 'n'))};
    if (!absl::IsUnavailable(ledger.Write(large))) return 3;
    LedgerChange small;
    small.cluster = "c";
    small.held = {HoldingOf(3, "n3")};
    return ledger.Write(small).ok() ? 0 : 4;
  };
  EXPECT_EQ(InChild(body), 0);
  const auto clusters = Open()->ledger.Load();
  ASSERT_EQ(clusters->size(), 1u);
  EXPECT_THAT(clusters->front().holdings,
              ::testing::ElementsAre(HoldingOf(1, "n1"), HoldingOf(3, "n3")));
}

TEST_F(SqliteLedgerTest, FolderWithoutPermissionIsUnavailable) {
  std::filesystem::permissions(std::filesystem::path(path_).parent_path(),
                               std::filesystem::perms::owner_read |
                                   std::filesystem::perms::others_read |
                                   std::filesystem::perms::others_exec);
  const auto body = [this] {
    if (geteuid() == 0 && seteuid(65534) != 0) return 1;
    const absl::Status status = OpenSqliteLedger(path_, archive_path_).status();
    if (!absl::IsUnavailable(status)) return 2;
    const bool says_so =
        status.message().find("Permission denied") != std::string::npos;
    return says_so ? 0 : 3;
  };
  EXPECT_EQ(InChild(body), 0);
  std::filesystem::permissions(std::filesystem::path(path_).parent_path(),
                               std::filesystem::perms::owner_all);
}

// A daemon of another user made the files.
TEST_F(SqliteLedgerTest, FilesWithoutPermissionAreNotInUse) {
  ASSERT_TRUE(Open()->ledger.Load().ok());
  std::filesystem::permissions(std::filesystem::path(path_).parent_path(),
                               std::filesystem::perms::all);
  for (const char* const suffix : {"", ".lock"}) {
    std::filesystem::permissions(path_ + suffix, std::filesystem::perms::none);
    const auto body = [this] {
      if (geteuid() == 0 && seteuid(65534) != 0) return 1;
      const absl::Status status =
          OpenSqliteLedger(path_, archive_path_).status();
      if (!absl::IsUnavailable(status)) return 2;
      const std::string message(status.message());
      return message.find("in use") == std::string::npos &&
                     message.find("permission") != std::string::npos
                 ? 0
                 : 3;
    };
    EXPECT_EQ(InChild(body), 0) << suffix;
  }
  EXPECT_TRUE(std::filesystem::exists(path_)) << "not set aside";
}

}  // namespace
}  // namespace coolspan
