// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/sqlite_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
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

// A file of another program, named in the option by mistake, must not be set
// aside as a corrupt one. Each file that a daemon has used has a lock file.
absl::Status CheckContents(const std::string& path, std::string_view option) {
  constexpr std::string_view kStart = "SQLite format 3";
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error || !fs::exists(status)) return absl::OkStatus();
  const bool is_regular = fs::is_regular_file(status);
  if (is_regular && fs::exists(LockPath(path), error)) return absl::OkStatus();
  if (is_regular) {
    std::string start(kStart.size(), '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(start.data(), static_cast<std::streamsize>(start.size()));
    if (file.gcount() == 0 || start == kStart) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(fmt::format(
      "{}: is not an SQLite database (expected a state file of coolspand, or "
      "a path that does not exist); set another path in {}",
      path, option));
}

// An import that ended between renaming the file and renaming its own has left
// both beside the path: an empty file there would hide them.
absl::Status CheckImport(const std::string& path) {
  std::error_code error;
  if (fs::exists(path, error) || !fs::exists(ImportPath(path), error)) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(fmt::format(
      "{0}: does not exist, and {1} was left by an import that was interrupted "
      "(expected: import again, or rename {0}.replaced-TIME to {0}, or remove "
      "{1})",
      path, ImportPath(path)));
}

}  // namespace

std::string ResolvedPath(const std::string& path) {
  std::error_code error;
  const fs::path resolved = fs::weakly_canonical(path, error);
  return error ? path : resolved.string();
}

std::string LockPath(const std::string& resolved) { return resolved + ".lock"; }
std::string ImportPath(const std::string& resolved) {
  return resolved + ".import";
}

std::uint64_t BytesOnDisk(const std::string& path) {
  std::uint64_t sum = 0;
  for (const char* const suffix : kSqliteSuffixes) {
    std::error_code error;
    const auto bytes = fs::file_size(path + suffix, error);
    if (!error) sum += bytes;
  }
  return sum;
}

absl::StatusOr<SqliteConnection> ConnectLocked(const std::string& resolved) {
  CreateWithoutPublicAccess(resolved);
  if (absl::Status status = CheckLinks(resolved); !status.ok()) return status;
  return SqliteConnection::Open(resolved, SqliteConnection::Mode::kReadWrite);
}

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
  const std::string resolved = ResolvedPath(path);
  if (absl::Status status = CheckContents(resolved, option); !status.ok()) {
    return status;
  }
  auto lock = FileLock::Take(LockPath(resolved), option);
  if (!lock.ok()) return lock.status();
  if (absl::Status status = CheckImport(resolved); !status.ok()) return status;
  auto connection = ConnectLocked(resolved);
  if (!connection.ok()) return connection.status();
  return SqliteFile{*std::move(lock), *std::move(connection)};
}

absl::Status UseWriteAheadLog(SqliteConnection& connection) {
  return connection.Run(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
}

}  // namespace coolspan
