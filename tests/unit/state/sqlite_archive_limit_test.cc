// SPDX-License-Identifier: GPL-3.0-or-later
// The archive's limit, in bytes on the disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>

#include "unit/state/sqlite_stores_test.h"

namespace coolspan {
namespace {

using ::testing::IsEmpty;

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;

class ArchiveLimitTest : public SqliteStoresTest {
 protected:
  std::uint64_t BytesOnDisk() const {
    std::uint64_t bytes = 0;
    for (const char* const suffix : {"", "-wal", "-shm", ".lock"}) {
      std::error_code error;
      const auto size =
          std::filesystem::file_size(archive_path_ + suffix, error);
      if (!error) bytes += size;
    }
    return bytes;
  }
  // Portions of 32 decisions of 8 kB each, in the size of the service's.
  void Fill(DecisionArchive& archive, std::uint64_t bytes,
            std::uint64_t max_bytes) {
    constexpr std::uint64_t kDecisionBytes = 8192;
    for (std::uint64_t written = 0; written < bytes;) {
      ArchiveChange change;
      change.cluster = "c";
      for (int i = 0; i < 32; ++i) {
        ++job_;
        change.decisions.push_back(DecisionOf(job_, 1, job_));
        change.decisions.back().why = std::string(kDecisionBytes, 'w');
        StoredStart start;
        start.job = {job_, 0};
        start.started_ms = start.recorded_ms = job_;
        start.nodes = "n1";
        change.starts.push_back(start);
        written += kDecisionBytes;
      }
      ASSERT_TRUE(archive.Write({&change, 1}).ok());
      ASSERT_LE(BytesOnDisk(), max_bytes);
    }
  }

  std::uint32_t job_ = 0;
};

TEST_F(ArchiveLimitTest, TheOldestEntriesGiveWay) {
  const auto archive = *OpenSqliteArchive(archive_path_, 32 * kMib);
  Fill(*archive, 100 * kMib, 32 * kMib);
  EXPECT_GT(BytesOnDisk(), 16 * kMib) << "the limit is used";
  EXPECT_EQ(archive->Condition().max_bytes, 32 * kMib);
  EXPECT_LE(archive->Condition().bytes, BytesOnDisk());
  EXPECT_GE(archive->Condition().bytes, BytesOnDisk() - 4096);
  EXPECT_THAT(*archive->DecisionsOf("c", 1, 1), IsEmpty());
  EXPECT_THAT(*archive->StartsOf("c", {StartQuery::By::kJob, 1}, 1), IsEmpty());
  // Without gaps: the newest ones.
  std::uint32_t oldest = job_;
  while (!archive->DecisionsOf("c", oldest - 1, 1)->empty()) --oldest;
  EXPECT_GT(job_ - oldest, 1500u);
  for (std::uint32_t job = 1; job < oldest; job += 7) {
    ASSERT_THAT(*archive->DecisionsOf("c", job, 1), IsEmpty()) << job;
  }
}

TEST_F(ArchiveLimitTest, ALowerLimitShrinksTheFile) {
  {
    const auto archive = *OpenSqliteArchive(archive_path_, 128 * kMib);
    Fill(*archive, 90 * kMib, 128 * kMib);
  }
  ASSERT_GT(BytesOnDisk(), 80 * kMib);
  const auto archive = *OpenSqliteArchive(archive_path_, 32 * kMib);
  for (int i = 0; i < 100; ++i) Fill(*archive, 1, 128 * kMib);
  EXPECT_LE(BytesOnDisk(), 32 * kMib);
  EXPECT_FALSE(archive->DecisionsOf("c", job_, 1)->empty());
}

// A reader that never rests keeps SQLite from using its log again.
TEST_F(ArchiveLimitTest, ReadersDoNotLetTheLogGrow) {
  const auto archive = *OpenSqliteArchive(archive_path_, 32 * kMib);
  std::atomic<bool> is_done = false;
  std::thread reader([&] {
    while (!is_done) {
      EXPECT_TRUE(archive->History("c", {}, 500).ok());
    }
  });
  Fill(*archive, 60 * kMib, 32 * kMib);
  is_done = true;
  reader.join();
}

TEST_F(ArchiveLimitTest, ManyForgottenEntriesDoNotLetTheLogGrow) {
  const auto archive = *OpenSqliteArchive(archive_path_, 128 * kMib);
  Fill(*archive, 100 * kMib, 128 * kMib);
  EXPECT_EQ(*archive->Forget(job_, 10'000), 10'000u);
  EXPECT_LE(std::filesystem::file_size(archive_path_ + "-wal"), 12 * kMib);
  while (*archive->Forget(job_, 10'000) > 0) {
  }
  EXPECT_LT(BytesOnDisk(), 32 * kMib) << "the file shrinks";
}

TEST_F(ArchiveLimitTest, RemovesOneClusterAndItsSpace) {
  const auto archive = *OpenSqliteArchive(archive_path_, 128 * kMib);
  Fill(*archive, 50 * kMib, 128 * kMib);
  ArchiveChange other;
  other.cluster = "d";
  other.decisions = {DecisionOf(1, 1, 1)};
  ASSERT_TRUE(archive->Write({&other, 1}).ok());
  ASSERT_TRUE(archive->BeginRemoval("c").ok());
  while (*archive->ContinueRemovals(10'000) > 0) {
  }
  EXPECT_LT(BytesOnDisk(), 16 * kMib);
  EXPECT_THAT(*archive->DecisionsOf("c", job_, 1), IsEmpty());
  EXPECT_EQ(archive->DecisionsOf("d", 1, 1)->size(), 1u);
}

}  // namespace
}  // namespace coolspan
