// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/sqlite_starts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "core/recent_starts.h"

namespace coolspan {
namespace {

constexpr const char* kColumns =
    "s.job_id, s.restart, s.started_ms, s.recorded_ms, s.nodes, s.verdict, "
    "s.reason, s.decision_id, s.array_job_id, s.array_task_id, s.het_job_id, "
    "s.het_job_offset, s.decided_nodes, s.decided_pairwise_total, "
    "s.decided_cooling_w, s.actual_nodes, s.actual_pairwise_total, "
    "s.actual_cooling_w, s.ended_ms, s.submitted_s, s.time_limit_s";
constexpr int kNumberColumn = 21;  // after kColumns

// The index columns of each query, in the order of StartQuery::By.
constexpr const char* kConditions[] = {
    "s.job_id = ?",
    "s.array_job_id = ? AND s.array_task_id = ?",
    "s.het_job_id = ? AND s.het_job_offset = ?",
};

// SQLite converts whole numbers to integers in columns of integers.
void BindMember(SqliteStatement& statement,
                const std::optional<StoredStart::Member>& member) {
  using Column = std::optional<double>;
  statement.Bind(member.has_value() ? Column(member->of_job) : Column())
      .Bind(member.has_value() ? Column(member->number) : Column());
}

void BindCost(SqliteStatement& statement,
              const std::optional<ChoiceCost>& cost) {
  using Column = std::optional<double>;
  statement.Bind(cost.has_value() ? Column(cost->nodes) : Column())
      .Bind(cost.has_value() ? Column(static_cast<double>(cost->pairwise_total))
                             : Column())
      .Bind(cost.has_value() ? cost->cooling_w : Column());
}

std::optional<StoredStart::Member> ReadMember(const SqliteStatement& row,
                                              int column) {
  if (!row.OptionalNumber(column).has_value()) return std::nullopt;
  return StoredStart::Member{
      static_cast<std::uint32_t>(row.Integer(column)),
      static_cast<std::uint32_t>(row.Integer(column + 1))};
}

ChoiceCost ReadCost(const SqliteStatement& row, int column) {
  return {static_cast<NodeCount>(row.Integer(column)),
          static_cast<std::uint64_t>(row.Integer(column + 1)),
          row.OptionalNumber(column + 2)};
}

StoredStart ReadStart(const SqliteStatement& row) {
  StoredStart start;
  start.job = {static_cast<std::uint32_t>(row.Integer(0)),
               static_cast<std::uint32_t>(row.Integer(1))};
  start.started_ms = row.Integer(2);
  start.recorded_ms = row.Integer(3);
  start.nodes = row.Text(4);
  start.verdict = row.Text(5);
  start.reason = row.Text(6);
  start.decision_id = row.Text(7);
  start.array_task = ReadMember(row, 8);
  start.het_component = ReadMember(row, 10);
  if (row.OptionalNumber(12).has_value()) {
    start.advice = AdviceCost{ReadCost(row, 12), ReadCost(row, 15)};
  }
  // NULL reads as 0.
  start.ended_ms = row.Integer(18);
  start.submitted_s = row.Integer(19);
  start.time_limit_s = row.Integer(20);
  return start;
}

absl::StatusOr<std::vector<StoredStart>> ReadAll(SqliteStatement& rows) {
  std::vector<StoredStart> starts;
  while (rows.Step()) starts.push_back(ReadStart(rows));
  if (absl::Status status = rows.Reset(); !status.ok()) return status;
  return starts;
}

}  // namespace

SqliteStatement& BindStart(SqliteStatement& statement,
                           const std::string& cluster,
                           const StoredStart& start) {
  statement.Bind(cluster)
      .Bind(std::int64_t{start.job.job_id})
      .Bind(std::int64_t{start.job.restart})
      .Bind(std::int64_t{start.started_ms})
      .Bind(std::int64_t{start.recorded_ms})
      .Bind(start.nodes)
      .Bind(start.verdict)
      .Bind(start.reason)
      .Bind(start.decision_id);
  BindMember(statement, start.array_task);
  BindMember(statement, start.het_component);
  std::optional<ChoiceCost> decided;
  std::optional<ChoiceCost> actual;
  if (start.advice.has_value()) {
    decided = start.advice->decided;
    actual = start.advice->actual;
  }
  BindCost(statement, decided);
  BindCost(statement, actual);
  const auto known = [](std::int64_t seconds) {
    return seconds > 0 ? std::optional<double>(static_cast<double>(seconds))
                       : std::nullopt;
  };
  return statement.Bind(known(start.submitted_s))
      .Bind(known(start.time_limit_s));
}

absl::StatusOr<std::vector<StoredStart>> ReadStarts(
    const SqliteConnection& connection, const std::string& cluster,
    const StartQuery& query, std::size_t limit) {
  const std::string sql = fmt::format(
      "SELECT {} FROM starts AS s WHERE s.cluster = ? AND {} "
      "ORDER BY s.number DESC LIMIT ?",
      kColumns, kConditions[static_cast<int>(query.by)]);
  auto rows = SqliteStatement::Prepare(connection, sql.c_str());
  if (!rows.ok()) return rows.status();
  rows->Bind(cluster).Bind(std::int64_t{query.job_id});
  if (query.by != StartQuery::By::kJob) {
    rows->Bind(std::int64_t{query.number});
  }
  rows->Bind(static_cast<std::int64_t>(limit));
  return ReadAll(*rows);
}

absl::StatusOr<std::vector<StoredStart>> ReadLatestStarts(
    const SqliteConnection& connection, const std::string& cluster,
    std::span<const JobKey> runs) {
  const std::string sql = fmt::format(
      "SELECT {} FROM starts AS s WHERE s.cluster = ? AND s.job_id = ? "
      "AND s.restart = ? ORDER BY s.number DESC LIMIT 1",
      kColumns);
  auto rows = SqliteStatement::Prepare(connection, sql.c_str());
  if (!rows.ok()) return rows.status();
  std::vector<StoredStart> starts;
  for (const JobKey run : runs) {
    rows->Bind(cluster)
        .Bind(std::int64_t{run.job_id})
        .Bind(std::int64_t{run.restart});
    if (rows->Step()) starts.push_back(ReadStart(*rows));
    if (absl::Status status = rows->Reset(); !status.ok()) return status;
  }
  return starts;
}

absl::StatusOr<std::vector<StoredStart>> ReadRecentStarts(
    const SqliteConnection& connection, const std::string& cluster) {
  // Reads the newest rows backwards by their number. By the index of jobs,
  // SQLite would read and sort all starts of the cluster.
  const std::string sql = fmt::format(
      "SELECT {} FROM starts AS s NOT INDEXED WHERE s.cluster = ? "
      "AND s.nodes != '' "
      "AND s.number > (SELECT max(number) FROM starts) - 10000 "
      "ORDER BY s.number DESC LIMIT ?",
      kColumns);
  auto rows = SqliteStatement::Prepare(connection, sql.c_str());
  if (!rows.ok()) return rows.status();
  rows->Bind(cluster).Bind(std::int64_t{RecentStarts::kMax});
  auto starts = ReadAll(*rows);
  if (starts.ok()) std::reverse(starts->begin(), starts->end());
  return starts;
}

absl::StatusOr<StoredHistory> ReadHistory(const SqliteConnection& connection,
                                          const std::string& cluster,
                                          const HistoryQuery& query,
                                          std::size_t limit) {
  // By number, which is also the order of recording: pages stay the same while
  // starts are added and old ones deleted.
  const std::string sql = fmt::format(
      "SELECT {}, s.number FROM starts AS s WHERE s.cluster = ? "
      "AND s.number > ? AND s.started_ms >= ? AND s.started_ms < ? "
      "ORDER BY s.number LIMIT ?",
      kColumns);
  auto rows = SqliteStatement::Prepare(connection, sql.c_str());
  if (!rows.ok()) return rows.status();
  const TimeMs until_ms =
      query.until_ms == 0 ? std::numeric_limits<TimeMs>::max() : query.until_ms;
  rows->Bind(cluster)
      .Bind(static_cast<std::int64_t>(query.after))
      .Bind(std::int64_t{query.since_ms})
      .Bind(std::int64_t{until_ms})
      .Bind(static_cast<std::int64_t>(limit));
  StoredHistory history;
  std::uint64_t last = 0;
  while (rows->Step()) {
    history.starts.push_back(ReadStart(*rows));
    last = static_cast<std::uint64_t>(rows->Integer(kNumberColumn));
  }
  if (absl::Status status = rows->Reset(); !status.ok()) return status;
  if (history.starts.size() == limit) history.next = last;
  return history;
}

}  // namespace coolspan
