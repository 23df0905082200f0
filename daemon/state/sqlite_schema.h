// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_SQLITE_SCHEMA_H_
#define COOLSPAN_STATE_SQLITE_SCHEMA_H_

#include "absl/status/status.h"
#include "state/sqlite_connection.h"

namespace coolspan {

// Creates the tables in an empty file. Checks an existing file (application id,
// schema version, integrity) and upgrades it from an earlier schema version.
// Errors: INVALID_ARGUMENT (database of another program, unsupported schema
// version), DATA_LOSS, UNAVAILABLE.
absl::Status PrepareSchema(SqliteConnection& connection);

}  // namespace coolspan

#endif  // COOLSPAN_STATE_SQLITE_SCHEMA_H_
