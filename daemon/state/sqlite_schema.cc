// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/sqlite_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "absl/strings/escaping.h"

namespace coolspan {
namespace {

absl::Status MakeTables(SqliteConnection& connection,
                        const SqliteSchema& schema) {
  const std::string sql = fmt::format(
      "BEGIN IMMEDIATE; {} PRAGMA application_id = {}; "
      "PRAGMA user_version = {}; COMMIT;",
      fmt::join(schema.tables, ""), schema.application_id, schema.version);
  return connection.Run(sql.c_str());
}

// REQUIRES a version from which a step leads.
absl::Status Upgrade(SqliteConnection& connection, const SqliteSchema& schema,
                     int version, BeforeStep before_step) {
  for (const SqliteSchema::Step& step : schema.steps) {
    if (step.from < version) continue;
    if (absl::Status status = before_step(step.from); !status.ok()) {
      return status;
    }
    const std::string sql =
        fmt::format("BEGIN IMMEDIATE; {} PRAGMA user_version = {}; COMMIT;",
                    step.sql, step.from + 1);
    if (absl::Status status = connection.Run(sql.c_str()); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

absl::Status CheckVersion(const SqliteConnection& connection,
                          const SqliteSchema& schema,
                          const std::string& application,
                          const std::string& version) {
  if (application != std::to_string(schema.application_id)) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: is the database of another program; set another path in {}",
        connection.path(), schema.option));
  }
  const bool is_earlier = std::any_of(
      schema.steps.begin(), schema.steps.end(), [&version](const auto& step) {
        return std::to_string(step.from) == version;
      });
  if (version != std::to_string(schema.version) && !is_earlier) {
    return absl::InvalidArgumentError(
        fmt::format("{}: schema version {} is not supported (expected {} or "
                    "lower); run the version of coolspand that wrote it, or "
                    "set another path in {}",
                    connection.path(), version, schema.version, schema.option));
  }
  return absl::OkStatus();
}

absl::Status CheckIntegrity(SqliteConnection& connection,
                            const SqliteSchema& schema) {
  for (const char* const check : schema.checks) {
    const std::string sql = fmt::format("PRAGMA {}", check);
    auto answer = connection.QueryText(sql.c_str());
    if (!answer.ok()) return answer.status();
    if (*answer != "ok") {
      return absl::DataLossError(
          fmt::format("{}: the state file is corrupt ({})", connection.path(),
                      absl::CHexEscape(*answer)));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status PrepareSchema(SqliteConnection& connection,
                           const SqliteSchema& schema, BeforeStep before_step) {
  auto objects = connection.QueryText("SELECT count(*) FROM sqlite_schema");
  if (!objects.ok()) return objects.status();
  auto application = connection.QueryText("PRAGMA application_id");
  if (!application.ok()) return application.status();
  auto version = connection.QueryText("PRAGMA user_version");
  if (!version.ok()) return version.status();
  if (*objects == "0" && *application == "0" && *version == "0") {
    return MakeTables(connection, schema);
  }
  absl::Status status =
      CheckVersion(connection, schema, *application, *version);
  if (status.ok()) status = CheckIntegrity(connection, schema);
  if (!status.ok()) return status;
  return Upgrade(connection, schema, std::stoi(*version), before_step);
}

absl::Status CheckSchema(SqliteConnection& connection,
                         const SqliteSchema& schema) {
  auto application = connection.QueryText("PRAGMA application_id");
  if (!application.ok()) return application.status();
  auto version = connection.QueryText("PRAGMA user_version");
  if (!version.ok()) return version.status();
  absl::Status status =
      CheckVersion(connection, schema, *application, *version);
  if (!status.ok()) return status;
  if (*version != std::to_string(schema.version)) {
    return absl::InvalidArgumentError(
        fmt::format("{}: schema version {} is an earlier one (expected {}); "
                    "start coolspand once, which converts the file",
                    connection.path(), *version, schema.version));
  }
  return CheckIntegrity(connection, schema);
}

absl::Status PrepareSchema(SqliteConnection& connection,
                           const SqliteSchema& schema) {
  return PrepareSchema(connection, schema,
                       [](int) { return absl::OkStatus(); });
}

}  // namespace coolspan
