// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_SQLITE_STARTS_H_
#define COOLSPAN_STATE_SQLITE_STARTS_H_

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "state/decision_archive.h"
#include "state/sqlite_connection.h"

namespace coolspan {

// Rows of the table of job starts. A start that is known already is kept: its
// event may be delivered again after the daemon was restarted.
inline constexpr const char* kInsertStart =
    "INSERT OR IGNORE INTO starts(cluster, job_id, restart, started_ms, "
    "recorded_ms, nodes, verdict, reason, decision_id, array_job_id, "
    "array_task_id, het_job_id, het_job_offset, decided_nodes, "
    "decided_pairwise_total, decided_cooling_w, actual_nodes, "
    "actual_pairwise_total, actual_cooling_w, submitted_s, time_limit_s) "
    "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";

// An end is that of the last start of the job that is not later; a repeated
// event does not move it. Slurm counts a restart before the run ends that it
// follows.
inline constexpr const char* kSetEnd =
    "UPDATE starts SET ended_ms = ?4 WHERE cluster = ?1 AND job_id = ?2 "
    "AND restart <= ?3 AND ended_ms IS NULL AND started_ms = "
    "(SELECT max(started_ms) FROM starts WHERE cluster = ?1 AND job_id = ?2 "
    "AND restart <= ?3 AND started_ms <= ?4)";

// Binds the parameters of kInsertStart.
SqliteStatement& BindStart(SqliteStatement& statement,
                           const std::string& cluster,
                           const StoredStart& start);

// As the functions of DecisionArchive.
absl::StatusOr<std::vector<StoredStart>> ReadStarts(
    const SqliteConnection& connection, const std::string& cluster,
    const StartQuery& query, std::size_t limit);
absl::StatusOr<std::vector<StoredStart>> ReadLatestStarts(
    const SqliteConnection& connection, const std::string& cluster,
    std::span<const JobKey> runs);
absl::StatusOr<std::vector<StoredStart>> ReadRecentStarts(
    const SqliteConnection& connection, const std::string& cluster);
absl::StatusOr<StoredHistory> ReadHistory(const SqliteConnection& connection,
                                          const std::string& cluster,
                                          const HistoryQuery& query,
                                          std::size_t limit);

}  // namespace coolspan

#endif  // COOLSPAN_STATE_SQLITE_STARTS_H_
