// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/sqlite_archive_rows.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "state/sqlite_starts.h"

namespace coolspan {
namespace {

using Json = nlohmann::ordered_json;

// In the order of SqliteArchiveWriter::Statement.
constexpr const char* kArchiveSql[] = {
    "INSERT OR REPLACE INTO decisions(cluster, id, job_id, restart, attempt, "
    "decided_ms, recorded_ms, placed, nodes, policy, ordering, why, facts, "
    "stopped_early, elapsed_us, available, outcome, committed_nodes, rule, "
    "mode) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    "UPDATE decisions SET outcome = ?3, committed_nodes = ?4 "
    "WHERE cluster = ?1 AND id = ?2 AND job_id = ?5",
    // Reads only the oldest rows.
    "DELETE FROM decisions WHERE recorded_ms < ?1 AND number < "
    "?2 + (SELECT min(number) FROM decisions)",
    kInsertStart,
    "DELETE FROM starts WHERE recorded_ms < ?1 AND number < "
    "?2 + (SELECT min(number) FROM starts)",
    kSetEnd,
    "SELECT max(recorded_ms) FROM (SELECT recorded_ms FROM decisions "
    "ORDER BY number LIMIT ?)",
    "SELECT max(recorded_ms) FROM (SELECT recorded_ms FROM starts "
    "ORDER BY number LIMIT ?)",
    "INSERT OR IGNORE INTO removals(cluster) VALUES(?)",
    "DELETE FROM decisions WHERE number IN (SELECT number FROM decisions "
    "WHERE cluster IN (SELECT cluster FROM removals) LIMIT ?)",
    "DELETE FROM starts WHERE number IN (SELECT number FROM starts "
    "WHERE cluster IN (SELECT cluster FROM removals) LIMIT ?)",
    "DELETE FROM removals",
};

std::string FactsText(const StoredDecision& decision) {
  Json facts = Json::object();
  for (const auto& [name, value] : decision.facts) facts[name] = value;
  return facts.dump(-1, ' ', false, Json::error_handler_t::replace);
}

StoredDecision ReadDecision(const SqliteStatement& row) {
  StoredDecision decision;
  decision.id = row.Text(0);
  decision.job = {static_cast<std::uint32_t>(row.Integer(1)),
                  static_cast<std::uint32_t>(row.Integer(2))};
  decision.attempt = static_cast<std::uint64_t>(row.Integer(3));
  decision.decided_ms = row.Integer(4);
  decision.recorded_ms = row.Integer(5);
  decision.placed = row.Integer(6) != 0;
  decision.nodes = row.Text(7);
  decision.policy = row.Text(8);
  decision.ordering = row.Text(9);
  decision.why = row.Text(10);
  const Json facts = Json::parse(row.Text(11), nullptr, false);
  if (facts.is_object()) {
    for (const auto& [name, value] : facts.items()) {
      if (value.is_string()) {
        decision.facts.emplace_back(name, value.get<std::string>());
      }
    }
  }
  decision.stopped_early = row.Integer(12) != 0;
  decision.elapsed_us = row.Number(13);
  decision.available = static_cast<std::uint32_t>(row.Integer(14));
  decision.outcome = row.Text(15);
  decision.committed_nodes = row.Text(16);
  decision.rule = row.Text(17);
  decision.mode = row.Text(18);
  return decision;
}

}  // namespace

absl::StatusOr<SqliteArchiveWriter> SqliteArchiveWriter::Prepare(
    const SqliteConnection& connection) {
  static_assert(std::size(kArchiveSql) == kStatements);
  auto statements = SqliteStatement::PrepareAll(connection, kArchiveSql);
  if (!statements.ok()) return statements.status();
  return SqliteArchiveWriter(*std::move(statements));
}

absl::Status SqliteArchiveWriter::Write(const ArchiveChange& change) {
  absl::Status status;
  const auto put_all = [&](const auto& rows) {
    for (const auto& row : rows) {
      if (!status.ok()) return;
      status = Put(change.cluster, row);
    }
  };
  put_all(change.decisions);
  put_all(change.outcomes);
  put_all(change.starts);
  put_all(change.ends);
  return status;
}

absl::Status SqliteArchiveWriter::Put(const std::string& cluster,
                                      const StoredDecision& decision) {
  return statements_[kPutDecision]
      .Bind(cluster)
      .Bind(decision.id)
      .Bind(std::int64_t{decision.job.job_id})
      .Bind(std::int64_t{decision.job.restart})
      .Bind(static_cast<std::int64_t>(decision.attempt))
      .Bind(std::int64_t{decision.decided_ms})
      .Bind(std::int64_t{decision.recorded_ms})
      .Bind(Flag(decision.placed))
      .Bind(decision.nodes)
      .Bind(decision.policy)
      .Bind(decision.ordering)
      .Bind(decision.why)
      .Bind(FactsText(decision))
      .Bind(Flag(decision.stopped_early))
      .Bind(decision.elapsed_us)
      .Bind(std::int64_t{decision.available})
      .Bind(decision.outcome)
      .Bind(decision.committed_nodes)
      .Bind(decision.rule)
      .Bind(decision.mode)
      .Finish();
}

absl::Status SqliteArchiveWriter::Put(const std::string& cluster,
                                      const StoredOutcome& outcome) {
  // The index is by job id, with which a decision id begins.
  const std::int64_t job_id =
      std::strtoll(outcome.decision_id.c_str(), nullptr, 10);
  return statements_[kPutOutcome]
      .Bind(cluster)
      .Bind(outcome.decision_id)
      .Bind(outcome.outcome)
      .Bind(outcome.committed_nodes)
      .Bind(job_id)
      .Finish();
}

absl::Status SqliteArchiveWriter::Put(const std::string& cluster,
                                      const StoredStart& start) {
  return BindStart(statements_[kPutStart], cluster, start).Finish();
}

absl::Status SqliteArchiveWriter::Put(const std::string& cluster,
                                      const StoredEnd& end) {
  return statements_[kPutEnd]
      .Bind(cluster)
      .Bind(std::int64_t{end.job.job_id})
      .Bind(std::int64_t{end.job.restart})
      .Bind(std::int64_t{end.ended_ms})
      .Finish();
}

absl::StatusOr<std::size_t> SqliteArchiveWriter::Forget(
    const SqliteConnection& connection, TimeMs recorded_before_ms,
    std::size_t limit) {
  std::size_t forgotten = 0;
  for (const Statement statement : {kForgetDecisions, kForgetStarts}) {
    absl::Status status = statements_[statement]
                              .Bind(std::int64_t{recorded_before_ms})
                              .Bind(static_cast<std::int64_t>(limit))
                              .Finish();
    if (!status.ok()) return status;
    const int changes = sqlite3_changes(connection.get());
    forgotten = std::max(forgotten, static_cast<std::size_t>(changes));
  }
  return forgotten;
}

absl::StatusOr<std::optional<TimeMs>> SqliteArchiveWriter::LastOfOldest(
    Statement query, std::size_t limit) {
  SqliteStatement& row = statements_[query];
  row.Bind(static_cast<std::int64_t>(limit));
  std::optional<TimeMs> last;
  if (row.Step() && row.OptionalNumber(0).has_value()) last = row.Integer(0);
  if (absl::Status status = row.Reset(); !status.ok()) return status;
  return last;
}

// The table whose oldest rows are the older ones loses all of them, the other
// one those that are as old.
absl::StatusOr<std::size_t> SqliteArchiveWriter::ForgetOldest(
    const SqliteConnection& connection, std::size_t limit) {
  const auto decided = LastOfOldest(kOldestDecisions, limit);
  if (!decided.ok()) return decided.status();
  const auto started = LastOfOldest(kOldestStarts, limit);
  if (!started.ok()) return started.status();
  constexpr TimeMs kNever = std::numeric_limits<TimeMs>::max();
  const TimeMs last_ms =
      std::min(decided->value_or(kNever), started->value_or(kNever));
  if (last_ms == kNever) return 0;
  return Forget(connection, last_ms + 1, limit);
}

absl::Status SqliteArchiveWriter::BeginRemoval(const std::string& cluster) {
  return statements_[kNoteRemoval].Bind(cluster).Finish();
}

absl::StatusOr<std::size_t> SqliteArchiveWriter::ContinueRemovals(
    const SqliteConnection& connection, std::size_t limit) {
  std::size_t removed = 0;
  for (const Statement statement : {kRemoveDecisions, kRemoveStarts}) {
    absl::Status status =
        statements_[statement].Bind(static_cast<std::int64_t>(limit)).Finish();
    if (!status.ok()) return status;
    const int changes = sqlite3_changes(connection.get());
    removed = std::max(removed, static_cast<std::size_t>(changes));
  }
  if (removed > 0) return removed;
  absl::Status status = statements_[kEndRemovals].Finish();
  if (!status.ok()) return status;
  return removed;
}

absl::StatusOr<TimeMs> NewestRecordMs(const SqliteConnection& connection) {
  auto rows = SqliteStatement::Prepare(
      connection,
      "SELECT max((SELECT coalesce(max(recorded_ms), 0) FROM decisions WHERE "
      "number = (SELECT max(number) FROM decisions)), (SELECT "
      "coalesce(max(recorded_ms), 0) FROM starts WHERE number = "
      "(SELECT max(number) FROM starts)))");
  if (!rows.ok()) return rows.status();
  const TimeMs last_ms = rows->Step() ? rows->Integer(0) : 0;
  if (absl::Status status = rows->Reset(); !status.ok()) return status;
  return last_ms;
}

absl::StatusOr<std::vector<StoredDecision>> ReadDecisions(
    const SqliteConnection& connection, const std::string& cluster,
    std::uint32_t job_id, std::size_t limit) {
  auto rows = SqliteStatement::Prepare(
      connection,
      "SELECT id, job_id, restart, attempt, decided_ms, recorded_ms, placed, "
      "nodes, policy, ordering, why, facts, stopped_early, elapsed_us, "
      "available, outcome, committed_nodes, rule, mode FROM decisions "
      "WHERE cluster = ? AND job_id = ? ORDER BY number DESC LIMIT ?");
  if (!rows.ok()) return rows.status();
  rows->Bind(cluster)
      .Bind(std::int64_t{job_id})
      .Bind(static_cast<std::int64_t>(limit));
  std::vector<StoredDecision> decisions;
  while (rows->Step()) decisions.push_back(ReadDecision(*rows));
  if (absl::Status status = rows->Reset(); !status.ok()) return status;
  return decisions;
}

}  // namespace coolspan
