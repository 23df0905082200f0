// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/sqlite_archive.h"

#include <mutex>
#include <utility>

#include "state/sqlite_archive_rows.h"
#include "state/sqlite_archive_schema.h"
#include "state/sqlite_connection.h"
#include "state/sqlite_file.h"
#include "state/sqlite_starts.h"

namespace coolspan {
namespace {

// Takes effect in an empty file.
constexpr const char* kShrinks = "PRAGMA auto_vacuum = INCREMENTAL";

class SqliteArchive final : public DecisionArchive {
 public:
  SqliteArchive(SqliteFile file, SqliteArchiveWriter writer,
                SqliteConnection reader)
      : file_(std::move(file)),
        writer_(std::move(writer)),
        reader_(std::move(reader)) {}

  absl::Status Write(std::span<const ArchiveChange> changes) override {
    return file_.connection.InTransaction([&] {
      absl::Status status;
      for (const ArchiveChange& change : changes) {
        status = writer_.Write(change);
        if (!status.ok()) break;
      }
      return status;
    });
  }

  absl::StatusOr<std::vector<StoredDecision>> DecisionsOf(
      const std::string& cluster, std::uint32_t job_id,
      std::size_t limit) override {
    const std::lock_guard lock(reading_);
    return ReadDecisions(reader_, cluster, job_id, limit);
  }

  absl::StatusOr<std::vector<StoredStart>> StartsOf(
      const std::string& cluster, const StartQuery& query,
      std::size_t limit) override {
    const std::lock_guard lock(reading_);
    return ReadStarts(reader_, cluster, query, limit);
  }

  absl::StatusOr<std::vector<StoredStart>> LatestStarts(
      const std::string& cluster, std::span<const JobKey> runs) override {
    const std::lock_guard lock(reading_);
    return ReadLatestStarts(reader_, cluster, runs);
  }

  absl::StatusOr<std::vector<StoredStart>> RecentStartsOf(
      const std::string& cluster) override {
    const std::lock_guard lock(reading_);
    return ReadRecentStarts(reader_, cluster);
  }

  absl::StatusOr<StoredHistory> History(const std::string& cluster,
                                        const HistoryQuery& query,
                                        std::size_t limit) override {
    const std::lock_guard lock(reading_);
    return ReadHistory(reader_, cluster, query, limit);
  }

  absl::StatusOr<std::size_t> Forget(TimeMs recorded_before_ms,
                                     std::size_t limit) override {
    std::size_t forgotten = 0;
    absl::Status status = file_.connection.InTransaction([&]() -> absl::Status {
      auto count = writer_.Forget(file_.connection, recorded_before_ms, limit);
      if (count.ok()) forgotten = *count;
      return count.status();
    });
    if (status.ok() && forgotten > 0) {
      status = file_.connection.Run("PRAGMA incremental_vacuum");
    }
    if (!status.ok()) return status;
    return forgotten;
  }

 private:
  SqliteFile file_;
  SqliteArchiveWriter writer_;
  std::mutex reading_;
  SqliteConnection reader_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<DecisionArchive>> OpenSqliteArchive(
    const std::string& path) {
  auto file = OpenSqliteFile(path, kArchiveSchema.option);
  if (!file.ok()) return file.status();
  SqliteConnection& connection = file->connection;
  absl::Status status = connection.Run(kShrinks);
  if (status.ok()) status = PrepareSchema(connection, kArchiveSchema);
  if (status.ok()) status = UseWriteAheadLog(connection);
  if (!status.ok()) return status;
  auto writer = SqliteArchiveWriter::Prepare(connection);
  if (!writer.ok()) return writer.status();
  auto reader = SqliteConnection::Open(connection.path(),
                                       SqliteConnection::Mode::kReadOnly);
  if (!reader.ok()) return reader.status();
  return std::make_unique<SqliteArchive>(*std::move(file), *std::move(writer),
                                         *std::move(reader));
}

}  // namespace coolspan
