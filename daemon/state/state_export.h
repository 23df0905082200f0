// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_STATE_EXPORT_H_
#define COOLSPAN_STATE_STATE_EXPORT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "state/sqlite_connection.h"

namespace coolspan {

// Numbers of rows, by table.
using StateRows = std::map<std::string, std::uint64_t>;

// Takes a line with its newline; after an error, it is not called again.
using WriteLine = std::function<absl::Status(const std::string& line)>;

// Writes the state as JSON Lines (UTF-8): a line with the versions, one for
// each row, as {"TABLE": {COLUMN: VALUE, ...}}, and one with their number. The
// same state gives the same bytes. archive_path: empty: without the history.
// The files are locked meanwhile and not changed.
// Errors: NOT_FOUND (no such file), FAILED_PRECONDITION (in use by a daemon),
// INVALID_ARGUMENT (not a file of Coolspan, or of another schema version),
// DATA_LOSS (corrupt), UNAVAILABLE (permissions); those of write.
absl::StatusOr<StateRows> ExportState(const std::string& ledger_path,
                                      const std::string& archive_path,
                                      const WriteLine& write);

// The same of open databases. archive: nullptr: without the history.
absl::StatusOr<StateRows> ExportRows(const SqliteConnection& ledger,
                                     const SqliteConnection* archive,
                                     const WriteLine& write);

}  // namespace coolspan

#endif  // COOLSPAN_STATE_STATE_EXPORT_H_
