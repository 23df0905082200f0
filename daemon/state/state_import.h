// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_STATE_IMPORT_H_
#define COOLSPAN_STATE_STATE_IMPORT_H_

#include <istream>
#include <string>

#include "absl/status/statusor.h"
#include "state/sqlite_connection.h"
#include "state/state_export.h"

namespace coolspan {

struct ImportTarget {
  std::string ledger_path;
  std::string archive_path;  // empty: the history is not imported
  // Existing files are renamed to PATH.replaced-TIME; otherwise they are an
  // error.
  bool may_replace = false;
};

// Makes state files of an export. On an error there are none, and existing
// ones are unchanged. name: of the source, for messages.
// Errors: INVALID_ARGUMENT ("name:line:column: what is wrong (expected ...)"),
// ALREADY_EXISTS, FAILED_PRECONDITION (in use by a daemon), UNAVAILABLE.
absl::StatusOr<StateRows> ImportState(std::istream& in, const std::string& name,
                                      const ImportTarget& target);

// Adds the rows to databases that have the tables and no rows. archive:
// nullptr: the history is checked, and not added. Errors: ImportState's.
absl::StatusOr<StateRows> ImportRows(std::istream& in, const std::string& name,
                                     SqliteConnection& ledger,
                                     SqliteConnection* archive);

}  // namespace coolspan

#endif  // COOLSPAN_STATE_STATE_IMPORT_H_
