// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/sqlite_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "absl/strings/escaping.h"

namespace coolspan {
namespace {

// "cool" in ASCII; identifies the file to Coolspan and to file(1).
constexpr const char* kApplicationId = "1668247404";
constexpr const char* kVersion = "7";

// NULL: unknown, or not a task, component or advised job.
constexpr const char* kStartsTable = R"(
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

// Since version 6. NULL: not known.
constexpr const char* kStartColumns =
    "ALTER TABLE starts ADD COLUMN ended_ms INTEGER;"
    "ALTER TABLE starts ADD COLUMN submitted_s INTEGER;"
    "ALTER TABLE starts ADD COLUMN time_limit_s INTEGER;";

constexpr const char* kTables = R"(
  CREATE TABLE clusters(
    name TEXT PRIMARY KEY,
    node_table TEXT NOT NULL,
    capacity TEXT NOT NULL,
    last_sync_ms INTEGER NOT NULL,
    mode TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
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
)";

absl::Status MakeTables(SqliteConnection& connection) {
  const std::string sql = fmt::format(
      "BEGIN IMMEDIATE; {} {} {} PRAGMA application_id = {}; "
      "PRAGMA user_version = {}; COMMIT;",
      kTables, kStartsTable, kStartColumns, kApplicationId, kVersion);
  return connection.Run(sql.c_str());
}

// Upgrades a file to the next schema version.
struct Step {
  std::string_view from;
  const char* sql;
};
constexpr Step kSteps[] = {
    {"1", "ALTER TABLE decisions ADD COLUMN rule TEXT NOT NULL DEFAULT '';"},
    {"2", "ALTER TABLE holdings ADD COLUMN communication_share REAL;"},
    {"3",
     "ALTER TABLE clusters ADD COLUMN mode TEXT NOT NULL DEFAULT '';"
     "ALTER TABLE decisions ADD COLUMN mode TEXT NOT NULL DEFAULT '';"},
    {"4", kStartsTable},
    {"5", kStartColumns},
    {"6",
     "ALTER TABLE holdings ADD COLUMN expected_end_ms INTEGER NOT NULL DEFAULT "
     "0;"},
};

// REQUIRES a version in kSteps.
absl::Status Upgrade(SqliteConnection& connection, std::string_view version) {
  std::string sql = "BEGIN IMMEDIATE; ";
  const Step* const first = std::find_if(
      std::begin(kSteps), std::end(kSteps),
      [version](const Step& step) { return step.from == version; });
  for (const Step* step = first; step != std::end(kSteps); ++step) {
    sql += step->sql;
  }
  sql += fmt::format(" PRAGMA user_version = {}; COMMIT;", kVersion);
  return connection.Run(sql.c_str());
}

absl::Status CheckVersion(const SqliteConnection& connection,
                          const std::string& application,
                          const std::string& version) {
  if (application != kApplicationId) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: is the database of another program; set another path in "
        "state.sqlite",
        connection.path()));
  }
  const bool is_earlier = std::any_of(
      std::begin(kSteps), std::end(kSteps),
      [&version](const Step& step) { return step.from == version; });
  if (version != kVersion && !is_earlier) {
    return absl::InvalidArgumentError(
        fmt::format("{}: schema version {} is not supported (expected {} or "
                    "lower); run the version of coolspand that wrote it, or "
                    "set another path in state.sqlite",
                    connection.path(), version, kVersion));
  }
  return absl::OkStatus();
}

// Checks the pages of the whole file, since a commit also writes to the table
// of decisions, and the indexes of the tables from which the ledger is
// restored.
absl::Status CheckIntegrity(SqliteConnection& connection) {
  for (const char* const check :
       {"quick_check(1)", "integrity_check(clusters)",
        "integrity_check(queues)", "integrity_check(holdings)"}) {
    const std::string sql = fmt::format("PRAGMA {}", check);
    auto answer = connection.QueryText(sql.c_str());
    if (!answer.ok()) return answer.status();
    if (*answer != "ok") {
      return absl::DataLossError(fmt::format(
          "{}: the state file is corrupt ({}); restore a backup, or move it "
          "away to start with an empty one",
          connection.path(), absl::CHexEscape(*answer)));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status PrepareSchema(SqliteConnection& connection) {
  auto objects = connection.QueryText("SELECT count(*) FROM sqlite_schema");
  if (!objects.ok()) return objects.status();
  auto application = connection.QueryText("PRAGMA application_id");
  if (!application.ok()) return application.status();
  auto version = connection.QueryText("PRAGMA user_version");
  if (!version.ok()) return version.status();
  if (*objects == "0" && *application == "0" && *version == "0") {
    return MakeTables(connection);
  }
  absl::Status status = CheckVersion(connection, *application, *version);
  if (status.ok()) status = CheckIntegrity(connection);
  if (status.ok() && *version != kVersion) {
    status = Upgrade(connection, *version);
  }
  return status;
}

}  // namespace coolspan
