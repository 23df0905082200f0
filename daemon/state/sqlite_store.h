// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_SQLITE_STORE_H_
#define COOLSPAN_STATE_SQLITE_STORE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "state/store.h"

namespace coolspan {

// Opens the store in an SQLite file (write-ahead log, every commit synced),
// and makes it where there is none. One process at a time has it, by a lock on
// PATH.lock.
// Errors: DATA_LOSS (corrupt: nothing is changed), UNAVAILABLE (no permission,
// no space), FAILED_PRECONDITION (another process has it), INVALID_ARGUMENT
// (another program's file, another schema version).
absl::StatusOr<std::unique_ptr<Store>> OpenSqliteStore(const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_STATE_SQLITE_STORE_H_
