// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_SQLITE_SCHEMA_H_
#define COOLSPAN_STATE_SQLITE_SCHEMA_H_

#include <span>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "state/sqlite_connection.h"

namespace coolspan {

// What a file of Coolspan must have.
struct SqliteSchema {
  // Upgrades a file from a version to the next.
  struct Step {
    int from;
    const char* sql;
  };

  const char* option;  // that sets the path, for messages
  int application_id;  // identifies the file to Coolspan and to file(1)
  int version;
  std::span<const char* const> tables;  // SQL that makes them
  std::span<const Step> steps;
  // Arguments of PRAGMA that answer "ok" for a file that is not damaged.
  std::span<const char* const> checks;
};

// Called before each step of an upgrade, outside a transaction.
using BeforeStep = absl::FunctionRef<absl::Status(int from)>;

// Creates the tables in an empty file. Checks an existing file (application id,
// schema version, integrity) and upgrades it from an earlier schema version,
// each step in a transaction of its own.
// Errors: INVALID_ARGUMENT (database of another program, unsupported schema
// version), DATA_LOSS, UNAVAILABLE; before_step's.
absl::Status PrepareSchema(SqliteConnection& connection,
                           const SqliteSchema& schema, BeforeStep before_step);
absl::Status PrepareSchema(SqliteConnection& connection,
                           const SqliteSchema& schema);

// Checks a file without changing it. Errors: PrepareSchema's; INVALID_ARGUMENT
// also for an earlier schema version.
absl::Status CheckSchema(SqliteConnection& connection,
                         const SqliteSchema& schema);

}  // namespace coolspan

#endif  // COOLSPAN_STATE_SQLITE_SCHEMA_H_
