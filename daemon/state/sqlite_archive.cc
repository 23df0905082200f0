// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/sqlite_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/numbers.h"
#include "state/set_aside.h"
#include "state/sqlite_archive_rows.h"
#include "state/sqlite_archive_schema.h"
#include "state/sqlite_connection.h"
#include "state/sqlite_file.h"
#include "state/sqlite_starts.h"

namespace coolspan {
namespace {

// Takes effect in an empty file.
constexpr const char* kShrinks = "PRAGMA auto_vacuum = INCREMENTAL";

constexpr std::uint64_t kPageBytes = 4096;  // SQLite's default
// The log is copied to the database from the first number on; if readers keep
// it from being reused, they wait at the second. Calls wait for a copy, so it
// is made often.
constexpr int kSoftLogPages = 250;
constexpr int kForcedLogPages = 1500;
// What the limit leaves for the log: its pages, and those of one more Write and
// its forgetting.
constexpr std::uint64_t kLogBytes = std::uint64_t{12} << 20;
// Rows that one transaction forgets, and pages that it returns to the file
// system: the log grows with both.
constexpr std::size_t kForgottenAtOnce = 200;
constexpr int kReturnedAtOnce = 500;
// Free pages that one Write may need.
constexpr std::int64_t kWritePages = 1024;
// Transactions of one call.
constexpr int kMaxPortions = 20;
// Of one process: a broken disk must not be filled with corrupt files.
constexpr std::size_t kMaxSetAside = 5;

// The connections to the file, and what depends on them.
struct OpenArchive {
  SqliteConnection connection;
  SqliteArchiveWriter writer;
  SqliteConnection reader;
};

absl::StatusOr<std::unique_ptr<OpenArchive>> Prepare(
    SqliteConnection connection) {
  absl::Status status = connection.Run(kShrinks);
  if (status.ok()) status = PrepareSchema(connection, kArchiveSchema);
  if (status.ok()) status = UseWriteAheadLog(connection);
  if (status.ok()) {
    status = connection.Run(
        fmt::format("PRAGMA journal_size_limit = {}", kLogBytes).c_str());
  }
  if (!status.ok()) return status;
  auto writer = SqliteArchiveWriter::Prepare(connection);
  if (!writer.ok()) return writer.status();
  auto reader = SqliteConnection::Open(connection.path(),
                                       SqliteConnection::Mode::kReadOnly);
  if (!reader.ok()) return reader.status();
  connection.TrustFile();
  reader->TrustFile();
  return std::make_unique<OpenArchive>(OpenArchive{
      std::move(connection), *std::move(writer), *std::move(reader)});
}

class SqliteArchive final : public DecisionArchive {
 public:
  SqliteArchive(FileLock lock, std::unique_ptr<OpenArchive> open,
                std::uint64_t max_bytes)
      : lock_(std::move(lock)),
        path_(open->connection.path()),
        max_bytes_(max_bytes),
        open_(std::move(open)) {
    open_->connection.CountLogPages(log_pages_);
  }

  absl::Status Write(std::span<const ArchiveChange> changes) override {
    return Healing([&]() -> absl::Status {
      if (absl::Status status = KeepLimit(); !status.ok()) return status;
      return InTransaction([&] {
        absl::Status status;
        for (const ArchiveChange& change : changes) {
          status = open_->writer.Write(change);
          if (!status.ok()) break;
        }
        return status;
      });
    });
  }

  absl::StatusOr<std::vector<StoredDecision>> DecisionsOf(
      const std::string& cluster, std::uint32_t job_id,
      std::size_t limit) override {
    return Reading([&](const SqliteConnection& reader) {
      return ReadDecisions(reader, cluster, job_id, limit);
    });
  }

  absl::StatusOr<std::vector<StoredStart>> StartsOf(
      const std::string& cluster, const StartQuery& query,
      std::size_t limit) override {
    return Reading([&](const SqliteConnection& reader) {
      return ReadStarts(reader, cluster, query, limit);
    });
  }

  absl::StatusOr<std::vector<StoredStart>> LatestStarts(
      const std::string& cluster, std::span<const JobKey> runs) override {
    return Reading([&](const SqliteConnection& reader) {
      return ReadLatestStarts(reader, cluster, runs);
    });
  }

  absl::StatusOr<std::vector<StoredStart>> RecentStartsOf(
      const std::string& cluster) override {
    return Reading([&](const SqliteConnection& reader) {
      return ReadRecentStarts(reader, cluster);
    });
  }

  absl::StatusOr<StoredHistory> History(const std::string& cluster,
                                        const HistoryQuery& query,
                                        std::size_t limit) override {
    return Reading([&](const SqliteConnection& reader) {
      return ReadHistory(reader, cluster, query, limit);
    });
  }

  absl::StatusOr<TimeMs> LastRecorded() override {
    return Reading(&NewestRecordMs);
  }

  absl::StatusOr<std::size_t> Forget(TimeMs recorded_before_ms,
                                     std::size_t limit) override {
    return InPortions(limit, [&](std::size_t portion) {
      return open_->writer.Forget(open_->connection, recorded_before_ms,
                                  portion);
    });
  }

  absl::Status BeginRemoval(const std::string& cluster) override {
    return Healing([&] {
      return InTransaction([&] { return open_->writer.BeginRemoval(cluster); });
    });
  }

  absl::StatusOr<std::size_t> ContinueRemovals(std::size_t limit) override {
    return InPortions(limit, [&](std::size_t portion) {
      return open_->writer.ContinueRemovals(open_->connection, portion);
    });
  }

  ArchiveCondition Condition() const override {
    ArchiveCondition condition;
    condition.bytes = BytesOnDisk(path_);
    condition.max_bytes = max_bytes_;
    const std::lock_guard lock(reading_);
    condition.set_aside = set_aside_;
    return condition;
  }

 private:
  using Portion =
      absl::FunctionRef<absl::StatusOr<std::size_t>(std::size_t limit)>;

  template <typename Read>
  auto Reading(const Read& read)
      -> decltype(read(std::declval<const SqliteConnection&>())) {
    const std::lock_guard lock(reading_);
    if (open_ == nullptr) {
      return absl::UnavailableError(fmt::format(
          "{}: was corrupt, and a new file cannot be created", path_));
    }
    auto answer = read(open_->reader);
    if (absl::IsDataLoss(answer.status())) is_corrupt_ = true;
    return answer;
  }

  // Runs body; if the file is corrupt, replaces it and runs body again.
  absl::Status Healing(absl::FunctionRef<absl::Status()> body) {
    absl::Status status = CheckOpen();
    if (status.ok()) status = body();
    if (!absl::IsDataLoss(status)) return status;
    status = Replace(status);
    return status.ok() ? body() : status;
  }

  absl::Status CheckOpen() {
    if (open_ == nullptr) return Reopen();
    if (!is_corrupt_) return absl::OkStatus();
    return absl::DataLossError(
        fmt::format("{}: a corrupt page was read", path_));
  }

  absl::Status Reopen() {
    auto connection = ConnectLocked(path_);
    if (!connection.ok()) return connection.status();
    auto open = Prepare(*std::move(connection));
    if (!open.ok()) return open.status();
    const std::lock_guard lock(reading_);
    open_ = *std::move(open);
    open_->connection.CountLogPages(log_pages_);
    return absl::OkStatus();
  }

  absl::Status Replace(const absl::Status& why) {
    const std::string reason(why.message());
    {
      const std::lock_guard lock(reading_);
      if (set_aside_.size() >= kMaxSetAside) return why;
      if (open_ != nullptr) {
        open_->connection.TrustFile(false);
        open_->reader.TrustFile(false);
      }
      open_.reset();
      is_corrupt_ = false;
    }
    const auto name = RenameAside(path_, "corrupt");
    if (name.ok()) {
      const std::lock_guard lock(reading_);
      set_aside_.push_back(fmt::format("{} ({})", *name, reason));
    }
    absl::Status status = Reopen();
    return name.ok() ? status : name.status();
  }

  absl::Status InTransaction(absl::FunctionRef<absl::Status()> body) {
    absl::Status status = open_->connection.InTransaction(body);
    return status.ok() ? TendLog() : status;
  }

  // An error of a checkpoint is not one of what was committed.
  absl::Status TendLog() {
    if (log_pages_ < kSoftLogPages) return absl::OkStatus();
    absl::Status status = open_->connection.Checkpoint();
    if (status.ok() && log_pages_ >= kForcedLogPages) {
      const std::lock_guard lock(reading_);
      status = open_->connection.TruncateLog();
      if (status.ok()) log_pages_ = 0;
    }
    return absl::IsDataLoss(status) ? status : absl::OkStatus();
  }

  absl::StatusOr<std::int64_t> Pages(const char* query) {
    auto text = open_->connection.QueryText(query);
    if (!text.ok()) return text.status();
    std::int64_t pages = 0;
    static_cast<void>(absl::SimpleAtoi(*text, &pages));
    return pages;
  }

  // Returns free pages to the file system.
  absl::Status ReturnPages() {
    const std::string sql =
        fmt::format("PRAGMA incremental_vacuum({})", kReturnedAtOnce);
    int portion = 0;
    for (; portion < kMaxPortions; ++portion) {
      const auto free = Pages("PRAGMA freelist_count");
      if (!free.ok()) return free.status();
      if (*free == 0) break;
      absl::Status status = open_->connection.Run(sql.c_str());
      if (status.ok()) status = TendLog();
      if (!status.ok()) return status;
    }
    if (portion == 0) return absl::OkStatus();
    // The file shrinks at a checkpoint only.
    const absl::Status status = open_->connection.Checkpoint();
    return absl::IsDataLoss(status) ? status : absl::OkStatus();
  }

  // Forgets until at most max_pages are used, or for kMaxPortions.
  absl::Status ForgetDownTo(std::int64_t max_pages) {
    for (int portion = 0; portion < kMaxPortions; ++portion) {
      const auto count = Pages("PRAGMA page_count");
      if (!count.ok()) return count.status();
      const auto free = Pages("PRAGMA freelist_count");
      if (!free.ok()) return free.status();
      if (*count - *free <= max_pages) break;
      absl::StatusOr<std::size_t> forgotten = 0;
      absl::Status status = InTransaction([&] {
        forgotten =
            open_->writer.ForgetOldest(open_->connection, kForgottenAtOnce);
        return forgotten.status();
      });
      if (!status.ok()) return status;
      if (*forgotten == 0) break;
    }
    return absl::OkStatus();
  }

  // Makes space for one more Write. A file that is larger, of an earlier and
  // higher limit, shrinks in several calls.
  absl::Status KeepLimit() {
    const auto max_pages =
        static_cast<std::int64_t>((max_bytes_ - kLogBytes) / kPageBytes);
    absl::Status status = ForgetDownTo(max_pages - kWritePages);
    if (!status.ok()) return status;
    auto count = Pages("PRAGMA page_count");
    if (count.ok() && *count > max_pages) {
      status = ReturnPages();
      if (status.ok()) count = Pages("PRAGMA page_count");
    }
    status.Update(count.status());
    if (!status.ok()) return status;
    // A file that has yet to shrink has no free pages either.
    const std::int64_t limit =
        *count > max_pages ? *count + kWritePages : max_pages;
    return open_->connection.Run(
        fmt::format("PRAGMA max_page_count = {}", limit).c_str());
  }

  // Returns the number of rows, at most limit.
  absl::StatusOr<std::size_t> InPortions(std::size_t limit, Portion forget) {
    std::size_t forgotten = 0;
    absl::Status status = Healing([&] {
      std::size_t count = 1;
      while (count > 0 && forgotten < limit) {
        absl::Status done = InTransaction([&]() -> absl::Status {
          const auto rows =
              forget(std::min(limit - forgotten, kForgottenAtOnce));
          count = rows.ok() ? *rows : 0;
          return rows.status();
        });
        if (!done.ok()) return done;
        forgotten += count;
      }
      return ReturnPages();
    });
    if (!status.ok()) return status;
    return forgotten;
  }

  FileLock lock_;
  const std::string path_;
  const std::uint64_t max_bytes_;
  std::atomic<int> log_pages_ = 0;
  std::atomic<bool> is_corrupt_ = false;
  mutable std::mutex reading_;
  std::vector<std::string> set_aside_;
  std::unique_ptr<OpenArchive> open_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<DecisionArchive>> OpenSqliteArchive(
    const std::string& path, std::uint64_t max_bytes) {
  auto file = OpenSqliteFile(path, kArchiveSchema.option);
  if (!file.ok()) return file.status();
  auto open = Prepare(std::move(file->connection));
  if (!open.ok()) return open.status();
  return std::make_unique<SqliteArchive>(std::move(file->lock),
                                         *std::move(open), max_bytes);
}

}  // namespace coolspan
