// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/sqlite_ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "state/ledger_mark.h"
#include "state/sqlite_connection.h"
#include "state/sqlite_file.h"
#include "state/sqlite_ledger_rows.h"
#include "state/sqlite_ledger_schema.h"

namespace coolspan {
namespace {

absl::Status FileError(const std::string& path, const char* what) {
  return absl::UnavailableError(fmt::format(
      "{}: {} ({})", path, what, std::generic_category().message(errno)));
}

// A descriptor of the write-ahead log, which has the same name and inode as
// long as the database is open. SQLite's locks are on other files: closing the
// descriptor does not release them.
class LogFile {
 public:
  static absl::StatusOr<LogFile> Open(const std::string& database) {
    std::string path = database + "-wal";
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return FileError(path, "cannot be opened");
    return LogFile(std::move(path), descriptor);
  }
  LogFile(LogFile&& other) noexcept
      : path_(std::move(other.path_)),
        descriptor_(std::exchange(other.descriptor_, -1)) {}
  LogFile& operator=(LogFile&&) = delete;
  ~LogFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  // Allocates bytes of the disk, so that changes can be written on a full one.
  // A file system may not offer it, and a disk may be full already.
  static void Reserve(const std::string& database, off_t bytes) {
    const int descriptor =
        open((database + "-wal").c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    static_cast<void>(fallocate(descriptor, 0, 0, bytes));
    close(descriptor);
  }

  absl::Status Sync() const {
    if (fdatasync(descriptor_) == 0) return absl::OkStatus();
    return FileError(path_, "cannot be synced to the disk");
  }

 private:
  LogFile(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;
};

// Calls wait for a copy of the log to the database, so it is made often.
constexpr int kMaxLogPages = 250;
// More than the log has between two checkpoints, unless a Sync has tens of
// thousands of jobs. SQLite reads a log to its last valid page.
constexpr off_t kReservedLogBytes = off_t{8} << 20;
// Space that the database has ahead.
constexpr int kGrowthBytes = 256 * 1024;

// Makes the names of new files durable.
absl::Status SyncDirectoryOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int descriptor = open(folder.empty() ? "." : folder.c_str(),
                              O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return FileError(folder, "cannot be opened");
  const bool is_synced = fsync(descriptor) == 0;
  absl::Status status =
      is_synced ? absl::OkStatus() : FileError(folder, "cannot be synced");
  close(descriptor);
  return status;
}

// Copies what is not in the archive yet: an interrupted move is repeated.
absl::Status CopyHistory(SqliteConnection& ledger,
                         const std::string& archive_path) {
  auto attach =
      SqliteStatement::Prepare(ledger, "ATTACH DATABASE ? AS archive");
  if (!attach.ok()) return attach.status();
  absl::Status status = attach->Bind(archive_path).Finish();
  if (!status.ok()) return status;
  status = ledger.InTransaction([&ledger] {
    return ledger.Run(
        "INSERT OR IGNORE INTO archive.decisions(number, cluster, id, job_id, "
        "restart, attempt, decided_ms, recorded_ms, placed, nodes, policy, "
        "ordering, why, facts, stopped_early, elapsed_us, available, outcome, "
        "committed_nodes, rule, mode) SELECT number, cluster, id, job_id, "
        "restart, attempt, decided_ms, recorded_ms, placed, nodes, policy, "
        "ordering, why, facts, stopped_early, elapsed_us, available, outcome, "
        "committed_nodes, rule, mode FROM main.decisions;"
        "INSERT OR IGNORE INTO archive.starts SELECT * FROM main.starts;");
  });
  // The steps of the upgrade commit to the ledger alone.
  if (status.ok()) status = ledger.Run("PRAGMA archive.wal_checkpoint(FULL)");
  status.Update(ledger.Run("DETACH DATABASE archive"));
  return status;
}

// Compares the file with the mark. Marks its clusters if changes are missing,
// in the file, since the next daemon cannot see it.
absl::StatusOr<std::string> FindMissing(SqliteFile& file) {
  auto missing = MissingChangesOf(file);
  if (!missing.ok()) return missing.status();
  if (!missing->empty()) {
    absl::Status status =
        file.connection.Run("UPDATE clusters SET is_incomplete = 1");
    if (!status.ok()) return status;
  }
  const auto sequence = StoredSequence(file.connection);
  if (!sequence.ok()) return sequence.status();
  NoteSequence(file.lock, *sequence);
  return missing;
}

class SqliteLedger final : public LedgerStore {
 public:
  SqliteLedger(SqliteFile file, SqliteLedgerWriter writer, LogFile log,
               SqliteConnection checkpointer, std::uint64_t sequence,
               std::string missing)
      : file_(std::move(file)),
        writer_(std::move(writer)),
        log_(std::move(log)),
        checkpointer_(std::move(checkpointer)),
        sequence_(sequence),
        missing_(std::move(missing)) {
    file_.connection.CountLogPages(log_pages_);
  }

  absl::StatusOr<std::uint64_t> BeginTerm() override {
    const std::lock_guard lock(mutex_);
    std::uint64_t term = 0;
    absl::Status status = file_.connection.InTransaction([&] {
      absl::Status begun =
          file_.connection.Run("UPDATE ledger SET term = term + 1");
      if (!begun.ok()) return begun;
      auto number = QueryNumber(file_.connection, "SELECT term FROM ledger");
      if (number.ok()) term = *number;
      return number.status();
    });
    if (!status.ok()) return status;
    return term;
  }

  absl::StatusOr<std::vector<StoredCluster>> Load() override {
    const std::lock_guard lock(mutex_);
    return ReadClusters(file_.connection);
  }

  // All in one transaction: there is one term for all clusters.
  std::vector<absl::Status> Write(
      std::span<const TermChanges> writes) override {
    const std::lock_guard lock(mutex_);
    absl::Status status = file_.connection.InTransaction([&] {
      absl::Status written;
      for (const TermChanges& write : writes) {
        if (written.ok() && &write == &writes.front()) {
          written = writer_.CheckTerm(file_.connection, write.term);
        }
        for (const LedgerChange& change : write.changes) {
          if (!written.ok()) break;
          written = writer_.Write(change);
        }
      }
      return written;
    });
    if (status.ok() && !writes.empty()) NoteSequence(file_.lock, ++sequence_);
    return std::vector<absl::Status>(writes.size(), status);
  }

  absl::Status SaveLearned(const StoredLearning& learned) override {
    const std::lock_guard lock(mutex_);
    return file_.connection.InTransaction([&] { return writer_.Put(learned); });
  }

  std::string MissingChanges() const override { return missing_; }

  absl::StatusOr<std::vector<StoredLearning>> LoadLearned() override {
    const std::lock_guard lock(mutex_);
    return ReadLearned(file_.connection);
  }

  absl::Status MakeDurable() override {
    absl::Status status = log_.Sync();
    // The system may forget pages that it could not write, and then calls the
    // log synced: its changes must reach the disk by another way.
    if (!status.ok()) is_log_suspect_ = true;
    if (status.ok() && is_log_suspect_) {
      status = checkpointer_.CheckpointAll();
      is_log_suspect_ = !status.ok();
    }
    if (!status.ok() || log_pages_ < kMaxLogPages) return status;
    // Without space for it, the log grows.
    status = checkpointer_.Checkpoint();
    return absl::IsDataLoss(status) ? status : absl::OkStatus();
  }

 private:
  std::mutex mutex_;
  std::atomic<int> log_pages_ = 0;
  SqliteFile file_;
  SqliteLedgerWriter writer_;
  const LogFile log_;
  SqliteConnection checkpointer_;  // used by MakeDurable only
  bool is_log_suspect_ = false;    // used by MakeDurable only
  std::uint64_t sequence_;
  const std::string missing_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LedgerStore>> OpenSqliteLedger(
    const std::string& path, const std::string& archive_path) {
  auto file = OpenSqliteFile(path, kLedgerSchema.option);
  if (!file.ok()) return file.status();
  SqliteConnection& connection = file->connection;
  bool has_moved = false;
  absl::Status status = PrepareSchema(connection, kLedgerSchema, [&](int from) {
    if (from != kLastLedgerVersionWithHistory) return absl::OkStatus();
    has_moved = true;
    return CopyHistory(connection, archive_path);
  });
  // Returns the space of the history.
  if (status.ok() && has_moved) status = connection.Run("VACUUM");
  if (status.ok()) status = UseWriteAheadLog(connection);
  // Opens the write-ahead log.
  if (status.ok()) status = connection.Run("BEGIN IMMEDIATE; COMMIT");
  if (status.ok()) status = SyncDirectoryOf(connection.path());
  if (!status.ok()) return status;
  auto missing = FindMissing(*file);
  if (!missing.ok()) return missing.status();
  auto writer = SqliteLedgerWriter::Prepare(connection);
  if (!writer.ok()) return writer.status();
  LogFile::Reserve(connection.path(), kReservedLogBytes);
  auto log = LogFile::Open(connection.path());
  if (!log.ok()) return log.status();
  auto checkpointer = SqliteConnection::Open(
      connection.path(), SqliteConnection::Mode::kReadWrite);
  if (!checkpointer.ok()) return checkpointer.status();
  // Before its first read, a connection does not know that there is a log.
  const auto sequence = StoredSequence(*checkpointer);
  if (!sequence.ok()) return sequence.status();
  checkpointer->GrowBy(kGrowthBytes);
  status = checkpointer->Checkpoint();
  if (absl::IsDataLoss(status)) return status;
  connection.TrustFile();
  checkpointer->TrustFile();
  return std::make_unique<SqliteLedger>(
      *std::move(file), *std::move(writer), *std::move(log),
      *std::move(checkpointer), *sequence, *std::move(missing));
}

}  // namespace coolspan
