// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_SQLITE_LEDGER_H_
#define COOLSPAN_STATE_SQLITE_LEDGER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "state/ledger_store.h"

namespace coolspan {

// Opens the ledger in an SQLite file (write-ahead log), which is created if it
// does not exist. A lock excludes other processes; the term excludes those that
// it does not reach, such as on other hosts of a network file system.
// archive_path: the file of the archive, which exists; history in ledgers of
// earlier versions is moved to it.
// Errors: OpenSqliteFile's and PrepareSchema's.
absl::StatusOr<std::unique_ptr<LedgerStore>> OpenSqliteLedger(
    const std::string& path, const std::string& archive_path);

}  // namespace coolspan

#endif  // COOLSPAN_STATE_SQLITE_LEDGER_H_
