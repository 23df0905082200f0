// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "unit/state/sqlite_stores_test.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

using SqliteArchiveTest = SqliteStoresTest;

TEST_F(SqliteArchiveTest, ReturnsDecisionsNewestFirst) {
  const auto archive = std::move(Open()->archive);
  ArchiveChange change;
  change.cluster = "c";
  change.decisions = {DecisionOf(1, 1, 100), DecisionOf(2, 1, 101),
                      DecisionOf(1, 2, 102)};
  change.outcomes = {{"1.0.2", "overruled", "n[5-6]"}};
  ASSERT_TRUE(archive->Write({&change, 1}).ok());
  const auto decisions = archive->DecisionsOf("c", 1, 10);
  ASSERT_TRUE(decisions.ok()) << decisions.status();
  ASSERT_EQ(decisions->size(), 2u);
  EXPECT_EQ((*decisions)[0].id, "1.0.2");
  EXPECT_EQ((*decisions)[0].outcome, "overruled");
  EXPECT_EQ((*decisions)[0].committed_nodes, "n[5-6]");
  EXPECT_EQ((*decisions)[1].outcome, "tentative");
  EXPECT_EQ((*decisions)[1].facts[0],
            (std::pair<std::string, std::string>("from_rank", "0")));
  EXPECT_EQ(archive->DecisionsOf("c", 1, 1)->size(), 1u);
  EXPECT_THAT(*archive->DecisionsOf("other", 1, 10), IsEmpty());
}

TEST_F(SqliteArchiveTest, ForgetsOldDecisionsUpToALimit) {
  const auto archive = std::move(Open()->archive);
  ArchiveChange change;
  change.cluster = "c";
  for (std::uint64_t attempt = 1; attempt <= 5; ++attempt) {
    change.decisions.push_back(DecisionOf(1, attempt, attempt * 100));
  }
  ASSERT_TRUE(archive->Write({&change, 1}).ok());
  EXPECT_EQ(*archive->Forget(450, 3), 3u);
  EXPECT_EQ(*archive->Forget(450, 3), 1u);
  EXPECT_EQ(*archive->Forget(450, 3), 0u);
  EXPECT_EQ(archive->DecisionsOf("c", 1, 10)->size(), 1u);
}

TEST_F(SqliteArchiveTest, TornDecisionsAreDetectedOnOpen) {
  {
    const auto archive = std::move(Open()->archive);
    ArchiveChange change;
    change.cluster = "c";
    for (std::uint64_t attempt = 1; attempt <= 500; ++attempt) {
      change.decisions.push_back(DecisionOf(1, attempt, attempt));
    }
    ASSERT_TRUE(archive->Write({&change, 1}).ok());
  }
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open(archive_path_.c_str(), &reader), SQLITE_OK);
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
  std::fstream file(archive_path_,
                    std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(std::streamoff{4096} * (root_page - 1));
  file << std::string(200, '\xee');
  file.close();
  const absl::Status status = OpenSqliteArchive(archive_path_).status();
  EXPECT_TRUE(absl::IsDataLoss(status));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(archive_path_ + ": the state file is corrupt"));
}

TEST_F(SqliteArchiveTest, ErrorsNameItsOption) {
  const auto stores = Open();
  EXPECT_THAT(
      std::string(OpenSqliteArchive(archive_path_).status().message()),
      HasSubstr("in use by another daemon; stop it, or set another path in "
                "state.archive"));
  EXPECT_THAT(
      std::string(OpenSqliteArchive("/nonexistent/a").status().message()),
      HasSubstr("set another path in state.archive"));
}

TEST_F(SqliteArchiveTest, TheFileShrinksAfterForgetting) {
  const auto archive = std::move(Open()->archive);
  ArchiveChange change;
  change.cluster = "c";
  for (std::uint64_t attempt = 1; attempt <= 5000; ++attempt) {
    change.decisions.push_back(DecisionOf(1, attempt, 100));
  }
  ASSERT_TRUE(archive->Write({&change, 1}).ok());
  const auto checkpoint = [this] {
    Execute(archive_path_, "PRAGMA wal_checkpoint(TRUNCATE)");
    return std::filesystem::file_size(archive_path_);
  };
  const auto full = checkpoint();
  EXPECT_EQ(*archive->Forget(101, 10'000), 5000u);
  EXPECT_LT(checkpoint(), full / 4);
}

TEST_F(SqliteArchiveTest, ARemovalGoesOnInTheNextProcess) {
  const auto put = [](DecisionArchive& archive, const char* cluster) {
    ArchiveChange change;
    change.cluster = cluster;
    for (std::uint32_t job = 1; job <= 5; ++job) {
      change.decisions.push_back(DecisionOf(job, 1, job));
    }
    ASSERT_TRUE(archive.Write({&change, 1}).ok());
  };
  const auto count = [](DecisionArchive& archive, const char* cluster) {
    std::size_t decisions = 0;
    for (std::uint32_t job = 1; job <= 5; ++job) {
      decisions += archive.DecisionsOf(cluster, job, 9)->size();
    }
    return decisions;
  };
  {
    const auto archive = *OpenSqliteArchive(archive_path_);
    put(*archive, "c");
    put(*archive, "d");
    ASSERT_TRUE(archive->BeginRemoval("c").ok());
    EXPECT_EQ(*archive->ContinueRemovals(2), 2u);
    EXPECT_EQ(count(*archive, "c"), 3u);
  }
  const auto archive = *OpenSqliteArchive(archive_path_);
  while (*archive->ContinueRemovals(2) > 0) {
  }
  EXPECT_EQ(count(*archive, "c"), 0u);
  EXPECT_EQ(count(*archive, "d"), 5u);
  put(*archive, "c");
  EXPECT_EQ(*archive->ContinueRemovals(2), 0u);
  EXPECT_EQ(count(*archive, "c"), 5u) << "it came back";
}

// Whatever SQLite says of it, a damaged file is set aside, not taken for one
// without space or permission.
TEST_F(SqliteArchiveTest, RandomDamageIsCorruption) {
  {
    const auto archive = *OpenSqliteArchive(archive_path_);
    ArchiveChange change;
    change.cluster = "c";
    for (std::uint32_t job = 1; job <= 50; ++job) {
      change.decisions.push_back(DecisionOf(job, 1, job));
    }
    ASSERT_TRUE(archive->Write({&change, 1}).ok());
  }
  std::stringstream good;
  good << std::ifstream(archive_path_, std::ios::binary).rdbuf();
  // With the first eight, SQLite 3.40 says "string or blob too big".
  std::vector<unsigned> seeds = {207, 603, 1087, 2368, 2552, 2756, 3278, 5826};
  for (unsigned seed = 0; seed < 200; ++seed) seeds.push_back(seed);
  std::size_t corrupt = 0;
  for (const unsigned seed : seeds) {
    std::mt19937 random(seed);
    std::string bytes = good.str();
    const std::size_t end = std::min<std::size_t>(bytes.size(), 3072 + 8192);
    for (std::size_t at = 3072; at < end; ++at) {
      bytes[at] = static_cast<char>(random());
    }
    std::ofstream(archive_path_, std::ios::binary) << bytes;
    const absl::Status status = OpenSqliteArchive(archive_path_).status();
    EXPECT_TRUE(status.ok() || absl::IsDataLoss(status)) << seed << status;
    corrupt += absl::IsDataLoss(status) ? 1 : 0;
  }
  EXPECT_GT(corrupt, 100);
}

}  // namespace
}  // namespace coolspan
