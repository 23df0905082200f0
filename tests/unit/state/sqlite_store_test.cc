// SPDX-License-Identifier: GPL-3.0-or-later
#include "unit/state/sqlite_store_test.h"

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

namespace coolspan {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(SqliteStoreTest, StartsEmpty) {
  const auto clusters = Open()->Load();
  ASSERT_TRUE(clusters.ok()) << clusters.status();
  EXPECT_THAT(*clusters, IsEmpty());
}

TEST_F(SqliteStoreTest, FilesAreNotWorldReadable) {
  using std::filesystem::perms;
  const auto store = Open();
  ASSERT_TRUE(store->Load().ok());
  for (const std::string end : {"", "-wal", "-shm"}) {
    const auto status = std::filesystem::status(path_ + end);
    ASSERT_TRUE(std::filesystem::exists(status)) << end;
    EXPECT_EQ(status.permissions() & perms::others_all, perms::none) << end;
  }
}

TEST_F(SqliteStoreTest, LoadReturnsWhatWasWritten) {
  StoredHolding shared = HoldingOf(5, "n[1,4-5]");
  shared.job.restart = 2;
  shared.attempt = 4'000'000'000;
  shared.committed = false;
  shared.whole = false;
  shared.suspended = true;
  shared.disputed = true;
  shared.units = {1, 1, 3};
  shared.contested = "n8";
  shared.expires_ms = 123;
  shared.decision_id = "5.2.4000000000";
  shared.communication_share = 0.3F;
  shared.expected_end_ms = 456;
  StoredCluster cluster = ClusterOf({HoldingOf(4, "n[2-3]"), shared});
  {
    const auto store = Open();
    const std::vector<StoredChange> changes = {SyncTo(cluster)};
    ASSERT_TRUE(store->Write(changes).ok());
    EXPECT_EQ(store->Load()->front().holdings.size(), 2u)
        << "in the same process";
  }
  const auto clusters = Open()->Load();
  ASSERT_TRUE(clusters.ok()) << clusters.status();
  std::swap(cluster.queues[0], cluster.queues[1]);  // by client id
  EXPECT_THAT(*clusters, ::testing::ElementsAre(cluster));
}

TEST_F(SqliteStoreTest, ChangesAreAppliedInOrder) {
  const auto store = Open();
  StoredChange more;
  more.cluster = "c";
  more.held = {HoldingOf(1, "n1"), HoldingOf(2, "n2")};
  more.queue = StoredQueue{"q1", 8, false};
  StoredChange fewer;
  fewer.cluster = "c";
  fewer.held = {HoldingOf(2, "n3")};
  fewer.gone = {1, 99};
  const std::vector<StoredChange> changes = {
      SyncTo(ClusterOf({HoldingOf(9, "n8")})), more, fewer};
  ASSERT_TRUE(store->Write(changes).ok());
  const auto clusters = store->Load();
  ASSERT_EQ(clusters->size(), 1u);
  EXPECT_THAT(clusters->front().holdings,
              ::testing::ElementsAre(HoldingOf(2, "n3"), HoldingOf(9, "n8")));
  EXPECT_THAT(clusters->front().queues,
              ::testing::Contains(StoredQueue{"q1", 8, false}));
  const std::vector<StoredChange> again = {SyncTo(ClusterOf({}))};
  ASSERT_TRUE(store->Write(again).ok());
  EXPECT_THAT(store->Load()->front().holdings, IsEmpty());
}

TEST_F(SqliteStoreTest, ReturnsDecisionsNewestFirst) {
  const auto store = Open();
  StoredChange change;
  change.cluster = "c";
  change.decisions = {DecisionOf(1, 1, 100), DecisionOf(2, 1, 101),
                      DecisionOf(1, 2, 102)};
  change.outcomes = {{"1.0.2", "overruled", "n[5-6]"}};
  ASSERT_TRUE(store->Write({&change, 1}).ok());
  const auto decisions = store->DecisionsOf("c", 1, 10);
  ASSERT_TRUE(decisions.ok()) << decisions.status();
  ASSERT_EQ(decisions->size(), 2u);
  EXPECT_EQ((*decisions)[0].id, "1.0.2");
  EXPECT_EQ((*decisions)[0].outcome, "overruled");
  EXPECT_EQ((*decisions)[0].committed_nodes, "n[5-6]");
  EXPECT_EQ((*decisions)[1].outcome, "tentative");
  EXPECT_EQ((*decisions)[1].facts[0],
            (std::pair<std::string, std::string>("from_rank", "0")));
  EXPECT_EQ(store->DecisionsOf("c", 1, 1)->size(), 1u);
  EXPECT_THAT(*store->DecisionsOf("other", 1, 10), IsEmpty());
}

TEST_F(SqliteStoreTest, ForgetsOldDecisionsUpToALimit) {
  const auto store = Open();
  StoredChange change;
  change.cluster = "c";
  for (std::uint64_t attempt = 1; attempt <= 5; ++attempt) {
    change.decisions.push_back(DecisionOf(1, attempt, attempt * 100));
  }
  ASSERT_TRUE(store->Write({&change, 1}).ok());
  EXPECT_EQ(*store->Forget(450, 3), 3u);
  EXPECT_EQ(*store->Forget(450, 3), 1u);
  EXPECT_EQ(*store->Forget(450, 3), 0u);
  EXPECT_EQ(store->DecisionsOf("c", 1, 10)->size(), 1u);
}

TEST_F(SqliteStoreTest, SecondOpenIsRefused) {
  const auto store = Open();
  EXPECT_THAT(OpenError(absl::StatusCode::kFailedPrecondition),
              HasSubstr("the state file is in use by another daemon"));
}

TEST_F(SqliteStoreTest, OtherFilesAreReportedAsCorrupt) {
  std::ofstream(path_) << std::string(5000, 'x');
  EXPECT_THAT(OpenError(absl::StatusCode::kDataLoss), HasSubstr("corrupt"));
  EXPECT_EQ(std::filesystem::file_size(path_), 5000u) << "the file was changed";
}

TEST_F(SqliteStoreTest, TornPagesAreDetectedOnOpen) {
  {
    const auto store = Open();
    std::vector<StoredHolding> holdings;
    for (std::uint32_t job = 1; job <= 2000; ++job) {
      holdings.push_back(HoldingOf(job, "n" + std::to_string(job)));
    }
    const std::vector<StoredChange> changes = {SyncTo(ClusterOf(holdings))};
    ASSERT_TRUE(store->Write(changes).ok());
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

// Decisions are written in the same transactions as commits: a damaged table of
// decisions would prevent storing the ledger.
TEST_F(SqliteStoreTest, TornDecisionsAreDetectedOnOpen) {
  {
    const auto store = Open();
    StoredChange change;
    change.cluster = "c";
    for (std::uint64_t attempt = 1; attempt <= 500; ++attempt) {
      change.decisions.push_back(DecisionOf(1, attempt, attempt));
    }
    ASSERT_TRUE(store->Write({&change, 1}).ok());
  }
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &reader), SQLITE_OK);
  int root_page = 0;
  ASSERT_EQ(
      sqlite3_exec(
          reader, "SELECT rootpage FROM sqlite_schema WHERE name='decisions'",
          [](void* page, int, char** values, char**) {
            *static_cast<int*>(page) = std::stoi(values[0]);
            return 0;
          },
          &root_page, nullptr),
      SQLITE_OK);
  sqlite3_close(reader);
  ASSERT_GT(root_page, 1);
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(std::streamoff{4096} * (root_page - 1));
  file << std::string(200, '\xee');
  file.close();
  EXPECT_THAT(OpenError(absl::StatusCode::kDataLoss),
              HasSubstr(path_ + ": the state file is corrupt"));
}

TEST_F(SqliteStoreTest, ErrorsQuoteTheFileInPrintableCharacters) {
  ASSERT_TRUE(Open()->Load().ok());
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

TEST_F(SqliteStoreTest, TruncatedFileIsReportedAsCorrupt) {
  {
    const auto store = Open();
    const std::vector<StoredChange> changes = {SyncTo(ClusterOf({}))};
    ASSERT_TRUE(store->Write(changes).ok());
  }
  std::filesystem::resize_file(path_, 4096);
  EXPECT_THAT(OpenError(absl::StatusCode::kDataLoss), HasSubstr("corrupt"));
}

TEST_F(SqliteStoreTest, DatabaseOfAnotherProgramIsRefused) {
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "CREATE TABLE recipes(name)", nullptr, nullptr,
                         nullptr),
            SQLITE_OK);
  sqlite3_close(other);
  EXPECT_THAT(OpenError(absl::StatusCode::kInvalidArgument),
              HasSubstr("is the database of another program"));
}

TEST_F(SqliteStoreTest, ASyncKeepsTheMode) {
  StoredChange change = SyncTo(ClusterOf({HoldingOf(1, "n1")}));
  change.mode = "advise";
  change.decisions = {DecisionOf(1, 1, 5)};
  change.decisions[0].mode = "enforce";
  ASSERT_TRUE(Open()->Write({&change, 1}).ok());
  change = SyncTo(ClusterOf({HoldingOf(2, "n1")}));
  ASSERT_TRUE(Open()->Write({&change, 1}).ok());
  const auto store = Open();
  EXPECT_EQ(store->Load()->front().mode, "advise");
  EXPECT_EQ(store->Load()->front().holdings, change.synced->holdings);
  EXPECT_EQ(store->DecisionsOf("c", 1, 1)->front().mode, "enforce");
}

TEST_F(SqliteStoreTest, InvalidCommunicationShareIsRefused) {
  const StoredChange change = SyncTo(ClusterOf({HoldingOf(1, "n1")}));
  ASSERT_TRUE(Open()->Write({&change, 1}).ok());
  for (const char* const share : {"-0.1", "1.5", "9e999"}) {
    Execute(std::string("UPDATE holdings SET communication_share = ") + share);
    EXPECT_THAT(Open()->Load().status().message(),
                HasSubstr("invalid communication share of job 1"))
        << share;
  }
}

TEST_F(SqliteStoreTest, UnsupportedSchemaVersionIsRefused) {
  Open();
  Execute("PRAGMA user_version = 99");
  EXPECT_THAT(OpenError(absl::StatusCode::kInvalidArgument),
              HasSubstr("schema version 99 is not supported"));
}

TEST_F(SqliteStoreTest, MissingFolderIsUnavailable) {
  EXPECT_EQ(OpenSqliteStore("/nonexistent/state.db").status().code(),
            absl::StatusCode::kUnavailable);
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

TEST_F(SqliteStoreTest, WriteToAFullDiskFailsAndLosesNothing) {
  const auto body = [this] {
    auto store = OpenSqliteStore(path_);
    if (!store.ok()) return 1;
    const std::vector<StoredChange> first = {
        SyncTo(ClusterOf({HoldingOf(1, "n1")}))};
    if (!(*store)->Write(first).ok()) return 2;
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};  // bytes of any file
    setrlimit(RLIMIT_FSIZE, &limit);
    StoredChange large;
    large.cluster = "c";
    large.held = {HoldingOf(2, std::string(500'000, 'n'))};
    const absl::Status full = (*store)->Write({&large, 1});
    if (!absl::IsUnavailable(full)) return 3;
    StoredChange small;
    small.cluster = "c";
    small.held = {HoldingOf(3, "n3")};
    return (*store)->Write({&small, 1}).ok() ? 0 : 4;
  };
  EXPECT_EQ(InChild(body), 0);
  const auto clusters = Open()->Load();
  ASSERT_EQ(clusters->size(), 1u);
  EXPECT_THAT(clusters->front().holdings,
              ::testing::ElementsAre(HoldingOf(1, "n1"), HoldingOf(3, "n3")));
}

TEST_F(SqliteStoreTest, FolderWithoutPermissionIsUnavailable) {
  std::filesystem::permissions(std::filesystem::path(path_).parent_path(),
                               std::filesystem::perms::owner_read |
                                   std::filesystem::perms::others_read |
                                   std::filesystem::perms::others_exec);
  const auto body = [this] {
    if (geteuid() == 0 && seteuid(65534) != 0) return 1;
    const auto store = OpenSqliteStore(path_);
    return absl::IsUnavailable(store.status()) ? 0 : 2;
  };
  EXPECT_EQ(InChild(body), 0);
  std::filesystem::permissions(std::filesystem::path(path_).parent_path(),
                               std::filesystem::perms::owner_all);
}

}  // namespace
}  // namespace coolspan
