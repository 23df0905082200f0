// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_SQLITE_FILE_H_
#define COOLSPAN_STATE_SQLITE_FILE_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "state/file_lock.h"
#include "state/sqlite_connection.h"

namespace coolspan {

// An SQLite file that this process alone writes to.
struct SqliteFile {
  FileLock lock;
  SqliteConnection connection;
};

// What follows the path in the names of SQLite's files. The database last: an
// empty one beside an old log would make SQLite delete the log, if a process
// ends between renaming the two.
inline constexpr std::array kSqliteSuffixes = {"-wal", "-journal", "-shm", ""};

// The path with symbolic links followed, that of its lock, and that of a file
// that an import is making.
std::string ResolvedPath(const std::string& path);
std::string LockPath(const std::string& resolved);
std::string ImportPath(const std::string& resolved);
// Of SQLite's files together.
std::uint64_t BytesOnDisk(const std::string& path);

// option: that sets the path, for messages. Opens the file, which is created,
// not readable by others, if it does not exist. A symbolic link is followed, so
// that a lock on REAL_PATH.lock excludes daemons that use another name of the
// file. Errors: UNAVAILABLE (no directory, no permission), FAILED_PRECONDITION
// (in use by another process; several hard links; an interrupted import),
// INVALID_ARGUMENT (not a database, and never used by a daemon: no lock file),
// DATA_LOSS.
absl::StatusOr<SqliteFile> OpenSqliteFile(const std::string& path,
                                          std::string_view option);

// A commit then appends to the write-ahead log, which SQLite syncs to the disk
// only before it is reused
// (https://www.sqlite.org/pragma.html#pragma_synchronous).
absl::Status UseWriteAheadLog(SqliteConnection& connection);

// A connection to a file whose lock is held.
// Errors: OpenSqliteFile's but those of the lock.
absl::StatusOr<SqliteConnection> ConnectLocked(const std::string& resolved);

}  // namespace coolspan

#endif  // COOLSPAN_STATE_SQLITE_FILE_H_
