// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_SQLITE_SCHEMA_H_
#define COOLSPAN_STATE_SQLITE_SCHEMA_H_

#include "absl/status/status.h"
#include "state/sqlite_connection.h"

namespace coolspan {

// Makes the tables of an empty file and checks those of another: that it is
// ours, of this version, and sound.
// Errors: INVALID_ARGUMENT (another program's file, another version's),
// DATA_LOSS, UNAVAILABLE.
absl::Status PrepareSchema(SqliteConnection& connection);

}  // namespace coolspan

#endif  // COOLSPAN_STATE_SQLITE_SCHEMA_H_
