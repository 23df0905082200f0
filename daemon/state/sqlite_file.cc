// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/sqlite_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace coolspan {
namespace {

namespace fs = std::filesystem;

// SQLite would create a world-readable file. The -wal and -shm files
// get the mode of the existing file. A failure is reported when SQLite opens
// the file.
void CreateWithoutPublicAccess(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
  if (file >= 0) close(file);
}

// The names of SQLite's other files, and of the lock, derive from that of the
// file: by two names, two daemons would each have their own
// (https://www.sqlite.org/howtocorrupt.html, section 2.4).
absl::Status CheckLinks(const std::string& path) {
  std::error_code error;
  const auto links = fs::hard_link_count(path, error);
  if (error || links <= 1) return absl::OkStatus();
  return absl::FailedPreconditionError(fmt::format(
      "{}: the state file has {} hard links (expected one: another daemon "
      "could use it by its other name); remove the others",
      path, links));
}

}  // namespace

absl::StatusOr<SqliteFile> OpenSqliteFile(const std::string& path,
                                          std::string_view option) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  if (!folder.empty() && !fs::is_directory(folder, error)) {
    return absl::UnavailableError(
        fmt::format("{}: directory {} does not exist; create it, or set "
                    "another path in {}",
                    path, folder.string(), option));
  }
  const fs::path resolved = fs::weakly_canonical(path, error);
  const std::string real_path = error ? path : resolved.string();
  auto lock = FileLock::Take(real_path + ".lock", option);
  if (!lock.ok()) return lock.status();
  CreateWithoutPublicAccess(real_path);
  if (absl::Status status = CheckLinks(real_path); !status.ok()) return status;
  auto connection =
      SqliteConnection::Open(real_path, SqliteConnection::Mode::kReadWrite);
  if (!connection.ok()) return connection.status();
  return SqliteFile{*std::move(lock), *std::move(connection)};
}

absl::Status UseWriteAheadLog(SqliteConnection& connection) {
  return connection.Run(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
}

}  // namespace coolspan
