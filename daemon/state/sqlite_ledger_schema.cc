// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/sqlite_ledger_schema.h"

namespace coolspan {
namespace {

constexpr const char* kJobs = R"(
  CREATE TABLE clusters(
    name TEXT PRIMARY KEY,
    node_table TEXT NOT NULL,
    capacity TEXT NOT NULL,
    last_sync_ms INTEGER NOT NULL,
    mode TEXT NOT NULL DEFAULT '',
    is_incomplete INTEGER NOT NULL DEFAULT 0,
    heard_ms INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
  CREATE TABLE queues(
    cluster TEXT NOT NULL,
    client_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    closed INTEGER NOT NULL,
    PRIMARY KEY(cluster, client_id)) WITHOUT ROWID;
  CREATE TABLE holdings(
    cluster TEXT NOT NULL,
    job_id INTEGER NOT NULL,
    restart INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    committed INTEGER NOT NULL,
    whole INTEGER NOT NULL,
    suspended INTEGER NOT NULL,
    disputed INTEGER NOT NULL,
    nodes TEXT NOT NULL,
    units TEXT NOT NULL,
    contested TEXT NOT NULL,
    expires_ms INTEGER NOT NULL,
    decision_id TEXT NOT NULL,
    communication_share REAL,
    expected_end_ms INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY(cluster, job_id)) WITHOUT ROWID;
)";

// One row; sequence is the number of writes.
constexpr const char* kLedger = R"(
  CREATE TABLE ledger(
    id INTEGER PRIMARY KEY CHECK(id = 0),
    term INTEGER NOT NULL,
    sequence INTEGER NOT NULL);
  INSERT INTO ledger VALUES(0, 0, 0);
)";

constexpr const char* kLearned = R"(
  CREATE TABLE learned(
    name TEXT PRIMARY KEY,
    machine TEXT NOT NULL,
    saved_ms INTEGER NOT NULL,
    content TEXT NOT NULL) WITHOUT ROWID;
)";

constexpr const char* kLedgerTables[] = {kJobs, kLedger, kLearned};

// Up to version 7, the history was in the same file.
constexpr const char* kStarts = R"(
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
    actual_cooling_w REAL);
  CREATE UNIQUE INDEX starts_by_job
    ON starts(cluster, job_id, restart, started_ms);
  CREATE INDEX starts_by_array ON starts(cluster, array_job_id, array_task_id)
    WHERE array_job_id IS NOT NULL;
  CREATE INDEX starts_by_het_job
    ON starts(cluster, het_job_id, het_job_offset)
    WHERE het_job_id IS NOT NULL;
)";

constexpr SqliteSchema::Step kLedgerSteps[] = {
    {1, "ALTER TABLE decisions ADD COLUMN rule TEXT NOT NULL DEFAULT '';"},
    {2, "ALTER TABLE holdings ADD COLUMN communication_share REAL;"},
    {3,
     "ALTER TABLE clusters ADD COLUMN mode TEXT NOT NULL DEFAULT '';"
     "ALTER TABLE decisions ADD COLUMN mode TEXT NOT NULL DEFAULT '';"},
    {4, kStarts},
    {5,
     "ALTER TABLE starts ADD COLUMN ended_ms INTEGER;"
     "ALTER TABLE starts ADD COLUMN submitted_s INTEGER;"
     "ALTER TABLE starts ADD COLUMN time_limit_s INTEGER;"},
    {6,
     "ALTER TABLE holdings ADD COLUMN expected_end_ms INTEGER NOT NULL DEFAULT "
     "0;"},
    {kLastLedgerVersionWithHistory, "DROP TABLE decisions; DROP TABLE starts;"},
    {8, kLedger},
    {9,
     "ALTER TABLE clusters ADD COLUMN is_incomplete INTEGER NOT NULL DEFAULT 0;"
     "ALTER TABLE clusters ADD COLUMN heard_ms INTEGER NOT NULL DEFAULT 0;"},
    {10, kLearned},
};

// The pages of the whole file, and the indexes of each table.
constexpr const char* kLedgerChecks[] = {
    "quick_check(1)", "integrity_check(clusters)", "integrity_check(queues)",
    "integrity_check(holdings)"};

}  // namespace

// The application id is "cool" in ASCII.
const SqliteSchema kLedgerSchema = {
    "state.sqlite", 0x636f6f6c, 11, kLedgerTables, kLedgerSteps, kLedgerChecks};

}  // namespace coolspan
