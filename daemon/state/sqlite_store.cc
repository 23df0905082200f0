// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/sqlite_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>
#include <utility>

#include "state/file_lock.h"
#include "state/sqlite_connection.h"
#include "state/sqlite_rows.h"
#include "state/sqlite_schema.h"
#include "state/sqlite_starts.h"

namespace coolspan {
namespace {

// SQLite would create a world-readable file. The -wal and -shm files
// get the mode of the existing file. A failure is reported when SQLite opens
// the file.
void CreateWithoutPublicAccess(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
  if (file >= 0) close(file);
}

// A commit is on the disk when it returns OK: the write-ahead log is synced at
// each commit (https://www.sqlite.org/pragma.html#pragma_synchronous).
constexpr const char* kDurableMode =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;";

class SqliteStore final : public Store {
 public:
  SqliteStore(FileLock lock, SqliteConnection connection, SqliteWriter writer,
              SqliteConnection reader)
      : lock_(std::move(lock)),
        connection_(std::move(connection)),
        writer_(std::move(writer)),
        reader_(std::move(reader)) {}

  absl::StatusOr<std::vector<StoredCluster>> Load() override {
    const std::lock_guard lock(reading_);
    return ReadClusters(reader_);
  }

  absl::Status Write(std::span<const StoredChange> changes) override {
    return connection_.InTransaction([&] {
      absl::Status status;
      for (const StoredChange& change : changes) {
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

  absl::StatusOr<std::vector<StoredStart>> StartsOfHolders(
      const std::string& cluster) override {
    const std::lock_guard lock(reading_);
    return ReadStartsOfHolders(reader_, cluster);
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
    absl::Status status = connection_.InTransaction([&]() -> absl::Status {
      auto count = writer_.Forget(connection_, recorded_before_ms, limit);
      if (count.ok()) forgotten = *count;
      return count.status();
    });
    if (!status.ok()) return status;
    return forgotten;
  }

 private:
  FileLock lock_;
  SqliteConnection connection_;
  SqliteWriter writer_;
  std::mutex reading_;
  SqliteConnection reader_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> OpenSqliteStore(
    const std::string& path) {
  const std::filesystem::path folder =
      std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
    return absl::UnavailableError(
        fmt::format("{}: directory {} does not exist; create it, or set "
                    "another path in state.sqlite",
                    path, folder.string()));
  }
  auto lock = FileLock::Take(path + ".lock");
  if (!lock.ok()) return lock.status();
  CreateWithoutPublicAccess(path);
  auto connection =
      SqliteConnection::Open(path, SqliteConnection::Mode::kReadWrite);
  if (!connection.ok()) return connection.status();
  absl::Status status = PrepareSchema(*connection);
  if (status.ok()) status = connection->Run(kDurableMode);
  if (!status.ok()) return status;
  auto writer = SqliteWriter::Prepare(*connection);
  if (!writer.ok()) return writer.status();
  auto reader = SqliteConnection::Open(path, SqliteConnection::Mode::kReadOnly);
  if (!reader.ok()) return reader.status();
  return std::make_unique<SqliteStore>(*std::move(lock), *std::move(connection),
                                       *std::move(writer), *std::move(reader));
}

}  // namespace coolspan
