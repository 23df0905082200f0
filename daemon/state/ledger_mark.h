// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_LEDGER_MARK_H_
#define COOLSPAN_STATE_LEDGER_MARK_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "state/file_lock.h"
#include "state/sqlite_connection.h"
#include "state/sqlite_file.h"

namespace coolspan {

// The number of changes that were written is kept beside the ledger too, in its
// lock file: SQLite takes a file whose write-ahead log was deleted or cut off
// for one with fewer changes.
void NoteSequence(const FileLock& lock, std::uint64_t sequence);

// In the ledger.
absl::StatusOr<std::uint64_t> StoredSequence(SqliteConnection& connection);

// What is missing, in words; empty: nothing, or it is not known.
absl::StatusOr<std::string> MissingChangesOf(SqliteFile& file);

// The one number of a query of the ledger. Error: DATA_LOSS.
absl::StatusOr<std::uint64_t> QueryNumber(SqliteConnection& connection,
                                          const char* sql);

}  // namespace coolspan

#endif  // COOLSPAN_STATE_LEDGER_MARK_H_
