// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/state_import.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "state/file_lock.h"
#include "state/set_aside.h"
#include "state/sqlite_archive_schema.h"
#include "state/sqlite_file.h"
#include "state/sqlite_ledger_schema.h"

namespace coolspan {
namespace {

namespace fs = std::filesystem;

// A file that is made beside its final path, which is locked.
class NewFile {
 public:
  static absl::StatusOr<NewFile> Make(const std::string& path,
                                      const SqliteSchema& schema,
                                      bool may_replace) {
    const std::string resolved = ResolvedPath(path);
    if (!may_replace && IsTaken(resolved)) {
      return absl::AlreadyExistsError(fmt::format(
          "{}: exists, or its write-ahead log (expected a new file; "
          "--overwrite renames both)",
          path));
    }
    auto lock = FileLock::Take(LockPath(resolved), schema.option);
    if (!lock.ok()) return lock.status();
    const std::string made = ImportPath(resolved);
    RemoveFiles(made);
    auto connection = ConnectLocked(made);
    if (!connection.ok()) return connection.status();
    absl::Status status = connection->Run("PRAGMA auto_vacuum = INCREMENTAL");
    if (status.ok()) status = PrepareSchema(*connection, schema);
    NewFile file(*std::move(lock), resolved, *std::move(connection));
    if (!status.ok()) return status;
    return file;
  }
  NewFile(NewFile&& other) noexcept
      : lock_(std::move(other.lock_)),
        path_(std::move(other.path_)),
        connection_(std::exchange(other.connection_, std::nullopt)) {}
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile() {
    if (!connection_.has_value()) return;
    connection_.reset();
    RemoveFiles(ImportPath(path_));
  }

  SqliteConnection& connection() { return *connection_; }

  // Takes the place of the file at its path, which is renamed.
  absl::Status Install() {
    connection_.reset();
    std::string replaced;
    if (IsTaken(path_)) {
      auto name = RenameAside(path_, "replaced");
      if (!name.ok()) return name.status();
      replaced = *std::move(name);
    }
    std::error_code error;
    fs::rename(ImportPath(path_), path_, error);
    if (!error) {
      // It is about the file that was replaced.
      lock_.WriteNote("");
      return absl::OkStatus();
    }
    if (!replaced.empty()) RenameBack(replaced, path_);
    return absl::UnavailableError(fmt::format(
        "{}: cannot be renamed ({})", ImportPath(path_), error.message()));
  }

 private:
  NewFile(FileLock lock, std::string path, SqliteConnection connection)
      : lock_(std::move(lock)),
        path_(std::move(path)),
        connection_(std::move(connection)) {}

  static void RemoveFiles(const std::string& path) {
    std::error_code error;
    for (const char* const suffix : kSqliteSuffixes) {
      fs::remove(path + suffix, error);
    }
  }

  FileLock lock_;
  std::string path_;
  std::optional<SqliteConnection> connection_;
};

}  // namespace

absl::StatusOr<StateRows> ImportState(std::istream& in, const std::string& name,
                                      const ImportTarget& target) {
  auto ledger =
      NewFile::Make(target.ledger_path, kLedgerSchema, target.may_replace);
  if (!ledger.ok()) return ledger.status();
  std::optional<NewFile> archive;
  if (!target.archive_path.empty()) {
    auto file =
        NewFile::Make(target.archive_path, kArchiveSchema, target.may_replace);
    if (!file.ok()) return file.status();
    archive.emplace(*std::move(file));
  }
  auto counts =
      ImportRows(in, name, ledger->connection(),
                 archive.has_value() ? &archive->connection() : nullptr);
  if (!counts.ok()) return counts;
  absl::Status status =
      archive.has_value() ? archive->Install() : absl::OkStatus();
  if (status.ok()) status = ledger->Install();
  if (!status.ok()) return status;
  return counts;
}

}  // namespace coolspan
