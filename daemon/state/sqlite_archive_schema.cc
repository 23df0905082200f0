// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/sqlite_archive_schema.h"

namespace coolspan {
namespace {

// The clusters whose rows are to be deleted.
constexpr const char* kRemovals =
    "CREATE TABLE removals(cluster TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;";

// In starts, NULL means unknown, or not a task, component or advised job.
constexpr const char* kArchiveTables[] = {R"(
  CREATE TABLE decisions(
    number INTEGER PRIMARY KEY,
    cluster TEXT NOT NULL,
    id TEXT NOT NULL,
    job_id INTEGER NOT NULL,
    restart INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    decided_ms INTEGER NOT NULL,
    recorded_ms INTEGER NOT NULL,
    placed INTEGER NOT NULL,
    nodes TEXT NOT NULL,
    policy TEXT NOT NULL,
    ordering TEXT NOT NULL,
    why TEXT NOT NULL,
    facts TEXT NOT NULL,
    stopped_early INTEGER NOT NULL,
    elapsed_us REAL NOT NULL,
    available INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    committed_nodes TEXT NOT NULL,
    rule TEXT NOT NULL DEFAULT '',
    mode TEXT NOT NULL DEFAULT '');
  CREATE UNIQUE INDEX decisions_by_job ON decisions(cluster, job_id, id);
  CREATE TABLE starts(
    number INTEGER PRIMARY KEY,
    cluster TEXT NOT NULL,
    job_id INTEGER NOT NULL,
    restart INTEGER NOT NULL,
    started_ms INTEGER NOT NULL,
    recorded_ms INTEGER NOT NULL,
    nodes TEXT NOT NULL,
    verdict TEXT NOT NULL,
    reason TEXT NOT NULL,
    decision_id TEXT NOT NULL,
    array_job_id INTEGER,
    array_task_id INTEGER,
    het_job_id INTEGER,
    het_job_offset INTEGER,
    decided_nodes INTEGER,
    decided_pairwise_total INTEGER,
    decided_cooling_w REAL,
    actual_nodes INTEGER,
    actual_pairwise_total INTEGER,
    actual_cooling_w REAL,
    ended_ms INTEGER,
    submitted_s INTEGER,
    time_limit_s INTEGER);
  CREATE UNIQUE INDEX starts_by_job
    ON starts(cluster, job_id, restart, started_ms);
  CREATE INDEX starts_by_array ON starts(cluster, array_job_id, array_task_id)
    WHERE array_job_id IS NOT NULL;
  CREATE INDEX starts_by_het_job
    ON starts(cluster, het_job_id, het_job_offset)
    WHERE het_job_id IS NOT NULL;
)",
                                          kRemovals};

constexpr SqliteSchema::Step kArchiveSteps[] = {{1, kRemovals}};

// The pages of the whole file. Checking the indexes would take minutes on large
// files, and a start takes as long.
constexpr const char* kArchiveChecks[] = {"quick_check(1)"};

}  // namespace

// The application id is "cooa" in ASCII.
const SqliteSchema kArchiveSchema = {
    "state.archive", 0x636f6f61,    2,
    kArchiveTables,  kArchiveSteps, kArchiveChecks};

}  // namespace coolspan
