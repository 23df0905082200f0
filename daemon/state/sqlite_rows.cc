// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/sqlite_rows.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "state/sqlite_starts.h"
#include "state/units_text.h"

namespace coolspan {
namespace {

using Json = nlohmann::ordered_json;

// In the order of SqliteWriter::Statement.
constexpr const char* kSql[] = {
    "DELETE FROM queues WHERE cluster = ?",
    "DELETE FROM holdings WHERE cluster = ?",
    "INSERT INTO clusters(name, node_table, capacity, last_sync_ms) "
    "VALUES(?1,?2,?3,?4) ON CONFLICT(name) DO UPDATE SET node_table = ?2, "
    "capacity = ?3, last_sync_ms = ?4",
    "INSERT OR REPLACE INTO queues VALUES(?,?,?,?)",
    "INSERT OR REPLACE INTO holdings VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    "DELETE FROM holdings WHERE cluster = ? AND job_id = ?",
    "INSERT OR REPLACE INTO decisions(cluster, id, job_id, restart, attempt, "
    "decided_ms, recorded_ms, placed, nodes, policy, ordering, why, facts, "
    "stopped_early, elapsed_us, available, outcome, committed_nodes, rule, "
    "mode) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    "UPDATE decisions SET outcome = ?3, committed_nodes = ?4 "
    "WHERE cluster = ?1 AND id = ?2 AND job_id = ?5",
    // Reads only the oldest rows.
    "DELETE FROM decisions WHERE recorded_ms < ?1 AND number < "
    "?2 + (SELECT min(number) FROM decisions)",
    "UPDATE clusters SET mode = ?2 WHERE name = ?1",
    kInsertStart,
    "DELETE FROM starts WHERE recorded_ms < ?1 AND number < "
    "?2 + (SELECT min(number) FROM starts)",
    kSetEnd,
};

std::int64_t Flag(bool value) { return value ? 1 : 0; }

std::string FactsText(const StoredDecision& decision) {
  Json facts = Json::object();
  for (const auto& [name, value] : decision.facts) facts[name] = value;
  return facts.dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::Status Invalid(const SqliteConnection& connection,
                     const std::string& what) {
  return absl::DataLossError(
      fmt::format("{}: the state file is corrupt (invalid {}); restore a "
                  "backup, or move it away to start with an empty one",
                  connection.path(), what));
}

absl::StatusOr<StoredHolding> ReadHolding(const SqliteConnection& connection,
                                          const SqliteStatement& row) {
  StoredHolding holding;
  holding.job = {static_cast<std::uint32_t>(row.Integer(0)),
                 static_cast<std::uint32_t>(row.Integer(1))};
  holding.attempt = static_cast<std::uint64_t>(row.Integer(2));
  holding.committed = row.Integer(3) != 0;
  holding.whole = row.Integer(4) != 0;
  holding.suspended = row.Integer(5) != 0;
  holding.disputed = row.Integer(6) != 0;
  holding.nodes = row.Text(7);
  auto units = ParseUnits(row.Text(8));
  if (!units.has_value()) {
    return Invalid(connection,
                   fmt::format("units of job {}", holding.job.job_id));
  }
  holding.units = *std::move(units);
  holding.contested = row.Text(9);
  holding.expires_ms = row.Integer(10);
  holding.decision_id = row.Text(11);
  if (const auto share = row.OptionalNumber(12); share.has_value()) {
    if (!(*share >= 0 && *share <= 1)) {
      return Invalid(connection, fmt::format("communication share of job {}",
                                             holding.job.job_id));
    }
    holding.communication_share = static_cast<float>(*share);
  }
  holding.expected_end_ms = row.Integer(13);
  return holding;
}

absl::Status ReadHoldings(const SqliteConnection& connection,
                          StoredCluster& cluster) {
  auto rows = SqliteStatement::Prepare(
      connection,
      "SELECT job_id, restart, attempt, committed, whole, suspended, disputed, "
      "nodes, units, contested, expires_ms, decision_id, "
      "communication_share, expected_end_ms FROM holdings WHERE cluster = ? "
      "ORDER BY job_id");
  if (!rows.ok()) return rows.status();
  rows->Bind(cluster.name);
  while (rows->Step()) {
    auto holding = ReadHolding(connection, *rows);
    if (!holding.ok()) return holding.status();
    cluster.holdings.push_back(*std::move(holding));
  }
  return rows->Reset();
}

absl::Status ReadQueues(const SqliteConnection& connection,
                        StoredCluster& cluster) {
  auto rows = SqliteStatement::Prepare(
      connection,
      "SELECT client_id, sequence, closed FROM queues WHERE cluster = ? "
      "ORDER BY client_id");
  if (!rows.ok()) return rows.status();
  rows->Bind(cluster.name);
  while (rows->Step()) {
    cluster.queues.push_back({rows->Text(0),
                              static_cast<std::uint64_t>(rows->Integer(1)),
                              rows->Integer(2) != 0});
  }
  return rows->Reset();
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

absl::StatusOr<SqliteWriter> SqliteWriter::Prepare(
    const SqliteConnection& connection) {
  static_assert(std::size(kSql) == kStatements);
  SqliteWriter writer;
  for (const char* const sql : kSql) {
    auto statement = SqliteStatement::Prepare(connection, sql);
    if (!statement.ok()) return statement.status();
    writer.statements_.push_back(*std::move(statement));
  }
  return writer;
}

template <typename Row>
absl::Status SqliteWriter::PutAll(const std::string& cluster,
                                  const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    if (absl::Status status = Put(cluster, row); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status SqliteWriter::Write(const StoredChange& change) {
  absl::Status status;
  if (change.synced.has_value()) status = WriteSync(*change.synced);
  if (status.ok()) status = PutAll(change.cluster, change.held);
  for (const std::uint32_t job_id : change.gone) {
    if (!status.ok()) return status;
    status = statements_[kDropHolding]
                 .Bind(change.cluster)
                 .Bind(std::int64_t{job_id})
                 .Finish();
  }
  if (status.ok() && change.queue.has_value()) {
    status = Put(change.cluster, *change.queue);
  }
  if (status.ok()) status = PutAll(change.cluster, change.decisions);
  if (status.ok()) status = PutAll(change.cluster, change.outcomes);
  if (status.ok()) status = PutAll(change.cluster, change.starts);
  if (status.ok()) status = PutAll(change.cluster, change.ends);
  if (status.ok() && change.mode.has_value()) {
    status =
        statements_[kSetMode].Bind(change.cluster).Bind(*change.mode).Finish();
  }
  return status;
}

absl::Status SqliteWriter::WriteSync(const StoredCluster& cluster) {
  absl::Status status = statements_[kDropQueues].Bind(cluster.name).Finish();
  if (status.ok()) {
    status = statements_[kDropHoldings].Bind(cluster.name).Finish();
  }
  if (status.ok()) {
    status = statements_[kPutCluster]
                 .Bind(cluster.name)
                 .Bind(cluster.node_table)
                 .Bind(FormatUnits(cluster.capacity))
                 .Bind(std::int64_t{cluster.last_sync_ms})
                 .Finish();
  }
  if (status.ok()) status = PutAll(cluster.name, cluster.queues);
  if (status.ok()) status = PutAll(cluster.name, cluster.holdings);
  return status;
}

absl::Status SqliteWriter::Put(const std::string& cluster,
                               const StoredQueue& queue) {
  return statements_[kPutQueue]
      .Bind(cluster)
      .Bind(queue.client_id)
      .Bind(static_cast<std::int64_t>(queue.sequence))
      .Bind(Flag(queue.closed))
      .Finish();
}

absl::Status SqliteWriter::Put(const std::string& cluster,
                               const StoredHolding& holding) {
  return statements_[kPutHolding]
      .Bind(cluster)
      .Bind(std::int64_t{holding.job.job_id})
      .Bind(std::int64_t{holding.job.restart})
      .Bind(static_cast<std::int64_t>(holding.attempt))
      .Bind(Flag(holding.committed))
      .Bind(Flag(holding.whole))
      .Bind(Flag(holding.suspended))
      .Bind(Flag(holding.disputed))
      .Bind(holding.nodes)
      .Bind(FormatUnits(holding.units))
      .Bind(holding.contested)
      .Bind(std::int64_t{holding.expires_ms})
      .Bind(holding.decision_id)
      .Bind(std::optional<double>(holding.communication_share))
      .Bind(std::int64_t{holding.expected_end_ms})
      .Finish();
}

absl::Status SqliteWriter::Put(const std::string& cluster,
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

absl::Status SqliteWriter::Put(const std::string& cluster,
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

absl::Status SqliteWriter::Put(const std::string& cluster,
                               const StoredStart& start) {
  return BindStart(statements_[kPutStart], cluster, start).Finish();
}

absl::Status SqliteWriter::Put(const std::string& cluster,
                               const StoredEnd& end) {
  return statements_[kPutEnd]
      .Bind(cluster)
      .Bind(std::int64_t{end.job.job_id})
      .Bind(std::int64_t{end.job.restart})
      .Bind(std::int64_t{end.ended_ms})
      .Finish();
}

absl::StatusOr<std::size_t> SqliteWriter::Forget(
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

absl::StatusOr<std::vector<StoredCluster>> ReadClusters(
    const SqliteConnection& connection) {
  auto rows = SqliteStatement::Prepare(
      connection,
      "SELECT name, node_table, capacity, last_sync_ms, mode FROM clusters "
      "ORDER BY name");
  if (!rows.ok()) return rows.status();
  std::vector<StoredCluster> clusters;
  while (rows->Step()) {
    StoredCluster cluster;
    cluster.name = rows->Text(0);
    cluster.node_table = rows->Text(1);
    auto capacity = ParseUnits(rows->Text(2));
    if (!capacity.has_value()) {
      return Invalid(connection,
                     fmt::format("capacities of cluster {}", cluster.name));
    }
    cluster.capacity = *std::move(capacity);
    cluster.last_sync_ms = rows->Integer(3);
    cluster.mode = rows->Text(4);
    absl::Status status = ReadQueues(connection, cluster);
    status.Update(ReadHoldings(connection, cluster));
    if (!status.ok()) return status;
    auto starts = ReadRecentStarts(connection, cluster.name);
    if (!starts.ok()) return starts.status();
    cluster.recent_starts = *std::move(starts);
    clusters.push_back(std::move(cluster));
  }
  if (absl::Status status = rows->Reset(); !status.ok()) return status;
  return clusters;
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
