// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_SQLITE_ARCHIVE_H_
#define COOLSPAN_STATE_SQLITE_ARCHIVE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "state/decision_archive.h"

namespace coolspan {

inline constexpr std::uint64_t kMinArchiveBytes = std::uint64_t{32} << 20;

// Opens the archive in an SQLite file (write-ahead log), which is created if it
// does not exist. A lock excludes other processes. max_bytes: limit of the file
// and its log on the disk, which Write keeps by forgetting the oldest entries;
// REQUIRES kMinArchiveBytes or more.
// Errors: OpenSqliteFile's and PrepareSchema's.
absl::StatusOr<std::unique_ptr<DecisionArchive>> OpenSqliteArchive(
    const std::string& path, std::uint64_t max_bytes = std::uint64_t{1} << 30);

}  // namespace coolspan

#endif  // COOLSPAN_STATE_SQLITE_ARCHIVE_H_
