// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/sqlite_ledger_rows.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "state/units_text.h"

namespace coolspan {
namespace {

// In the order of SqliteLedgerWriter::Statement.
constexpr const char* kLedgerSql[] = {
    "DELETE FROM queues WHERE cluster = ?",
    "DELETE FROM holdings WHERE cluster = ?",
    R"(INSERT INTO clusters(name, node_table, capacity, last_sync_ms,
       is_incomplete) VALUES(?1,?2,?3,?4,?5) ON CONFLICT(name) DO UPDATE SET
       node_table = ?2, capacity = ?3, last_sync_ms = ?4, is_incomplete = ?5)",
    "INSERT OR REPLACE INTO queues VALUES(?,?,?,?)",
    "INSERT OR REPLACE INTO holdings VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    "DELETE FROM holdings WHERE cluster = ? AND job_id = ?",
    "UPDATE clusters SET mode = ?2 WHERE name = ?1",
    "UPDATE ledger SET sequence = sequence + 1 WHERE term = ?",
    "DELETE FROM clusters WHERE name = ?",
    "UPDATE clusters SET heard_ms = ?2 WHERE name = ?1",
    "UPDATE clusters SET is_incomplete = 1 WHERE name = ?",
    "INSERT OR REPLACE INTO learned VALUES(?,?,?,?)",
};

absl::Status Invalid(const SqliteConnection& connection,
                     const std::string& what) {
  return absl::DataLossError(fmt::format(
      "{}: the state file is corrupt (invalid {})", connection.path(), what));
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

}  // namespace

absl::StatusOr<SqliteLedgerWriter> SqliteLedgerWriter::Prepare(
    const SqliteConnection& connection) {
  static_assert(std::size(kLedgerSql) == kStatements);
  auto statements = SqliteStatement::PrepareAll(connection, kLedgerSql);
  if (!statements.ok()) return statements.status();
  return SqliteLedgerWriter(*std::move(statements));
}

absl::Status SqliteLedgerWriter::CheckTerm(const SqliteConnection& connection,
                                           std::uint64_t term) {
  absl::Status status =
      statements_[kCountWrite].Bind(static_cast<std::int64_t>(term)).Finish();
  if (!status.ok()) return status;
  if (sqlite3_changes(connection.get()) == 1) return absl::OkStatus();
  return absl::AbortedError(fmt::format(
      "{}: not leader: another daemon uses the state file (expected "
      "one daemon for each file)",
      connection.path()));
}

absl::Status SqliteLedgerWriter::Write(const LedgerChange& change) {
  absl::Status status;
  if (change.is_removed) status = Remove(change.cluster);
  if (status.ok() && change.synced.has_value()) {
    status = WriteSync(*change.synced);
  }
  for (const StoredHolding& holding : change.held) {
    if (!status.ok()) return status;
    status = Put(change.cluster, holding);
  }
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
  if (status.ok() && change.mode.has_value()) {
    status =
        statements_[kSetMode].Bind(change.cluster).Bind(*change.mode).Finish();
  }
  if (status.ok() && change.heard_ms.has_value()) {
    status = statements_[kSetHeard]
                 .Bind(change.cluster)
                 .Bind(std::int64_t{*change.heard_ms})
                 .Finish();
  }
  if (status.ok() && change.is_incomplete) {
    status = statements_[kSetIncomplete].Bind(change.cluster).Finish();
  }
  return status;
}

absl::Status SqliteLedgerWriter::Put(const StoredLearning& learned) {
  return statements_[kPutLearned]
      .Bind(learned.name)
      .Bind(learned.machine)
      .Bind(std::int64_t{learned.saved_ms})
      .Bind(learned.content)
      .Finish();
}

absl::Status SqliteLedgerWriter::Remove(const std::string& cluster) {
  absl::Status status;
  for (const Statement statement : {kDropQueues, kDropHoldings, kDropCluster}) {
    if (status.ok()) status = statements_[statement].Bind(cluster).Finish();
  }
  return status;
}

absl::Status SqliteLedgerWriter::WriteSync(const StoredCluster& cluster) {
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
                 .Bind(Flag(cluster.is_incomplete))
                 .Finish();
  }
  for (const StoredQueue& queue : cluster.queues) {
    if (status.ok()) status = Put(cluster.name, queue);
  }
  for (const StoredHolding& holding : cluster.holdings) {
    if (!status.ok()) return status;
    status = Put(cluster.name, holding);
  }
  return status;
}

absl::Status SqliteLedgerWriter::Put(const std::string& cluster,
                                     const StoredQueue& queue) {
  return statements_[kPutQueue]
      .Bind(cluster)
      .Bind(queue.client_id)
      .Bind(static_cast<std::int64_t>(queue.sequence))
      .Bind(Flag(queue.closed))
      .Finish();
}

absl::Status SqliteLedgerWriter::Put(const std::string& cluster,
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

absl::StatusOr<std::vector<StoredCluster>> ReadClusters(
    const SqliteConnection& connection) {
  auto rows = SqliteStatement::Prepare(
      connection,
      "SELECT name, node_table, capacity, last_sync_ms, mode, is_incomplete, "
      "heard_ms FROM clusters ORDER BY name");
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
    cluster.is_incomplete = rows->Integer(5) != 0;
    cluster.heard_ms = rows->Integer(6);
    absl::Status status = ReadQueues(connection, cluster);
    status.Update(ReadHoldings(connection, cluster));
    if (!status.ok()) return status;
    clusters.push_back(std::move(cluster));
  }
  if (absl::Status status = rows->Reset(); !status.ok()) return status;
  return clusters;
}

absl::StatusOr<std::vector<StoredLearning>> ReadLearned(
    const SqliteConnection& connection) {
  auto rows = SqliteStatement::Prepare(
      connection,
      "SELECT name, machine, saved_ms, content FROM learned ORDER BY name");
  if (!rows.ok()) return rows.status();
  std::vector<StoredLearning> learned;
  while (rows->Step()) {
    learned.push_back(
        {rows->Text(0), rows->Text(1), rows->Integer(2), rows->Text(3)});
  }
  if (absl::Status status = rows->Reset(); !status.ok()) return status;
  return learned;
}

}  // namespace coolspan
