// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_SQLITE_ARCHIVE_H_
#define COOLSPAN_STATE_SQLITE_ARCHIVE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "state/decision_archive.h"

namespace coolspan {

// Opens the archive in an SQLite file (write-ahead log), which is created if it
// does not exist. A lock excludes other processes.
// Errors: OpenSqliteFile's and PrepareSchema's.
absl::StatusOr<std::unique_ptr<DecisionArchive>> OpenSqliteArchive(
    const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_STATE_SQLITE_ARCHIVE_H_
