// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_SQLITE_STORE_H_
#define COOLSPAN_STATE_SQLITE_STORE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "state/store.h"

namespace coolspan {

// Opens the store in an SQLite file (write-ahead log, synced at every commit),
// which is created if it does not exist. A lock on PATH.lock excludes other
// processes.
// Errors: DATA_LOSS (corrupt; the file is not changed), UNAVAILABLE (no
// permission, no space), FAILED_PRECONDITION (in use by another process),
// INVALID_ARGUMENT (database of another program, unsupported schema version).
absl::StatusOr<std::unique_ptr<Store>> OpenSqliteStore(const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_STATE_SQLITE_STORE_H_
