// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_SQLITE_ROWS_H_
#define COOLSPAN_STATE_SQLITE_ROWS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "state/sqlite_connection.h"
#include "state/store.h"

namespace coolspan {

// Writes changes by prepared statements, in the transaction that the caller has
// begun.
class SqliteWriter {
 public:
  static absl::StatusOr<SqliteWriter> Prepare(
      const SqliteConnection& connection);

  // Returns at the first error, which may also have ended the transaction.
  absl::Status Write(const StoredChange& change);
  // As Store::Forget.
  absl::StatusOr<std::size_t> Forget(const SqliteConnection& connection,
                                     TimeMs recorded_before_ms,
                                     std::size_t limit);

 private:
  enum Statement {
    kDropQueues,
    kDropHoldings,
    kPutCluster,
    kPutQueue,
    kPutHolding,
    kDropHolding,
    kPutDecision,
    kPutOutcome,
    kForgetDecisions,
    kSetMode,
    kPutStart,
    kForgetStarts,
    kPutEnd,
    kStatements,
  };
  SqliteWriter() = default;

  absl::Status WriteSync(const StoredCluster& cluster);
  absl::Status Put(const std::string& cluster, const StoredQueue& queue);
  absl::Status Put(const std::string& cluster, const StoredHolding& holding);
  absl::Status Put(const std::string& cluster, const StoredDecision& decision);
  absl::Status Put(const std::string& cluster, const StoredOutcome& outcome);
  absl::Status Put(const std::string& cluster, const StoredStart& start);
  absl::Status Put(const std::string& cluster, const StoredEnd& end);

  template <typename Row>
  absl::Status PutAll(const std::string& cluster, const std::vector<Row>& rows);

  std::vector<SqliteStatement> statements_;  // by Statement
};

// Errors: DATA_LOSS; the message names the invalid row.
absl::StatusOr<std::vector<StoredCluster>> ReadClusters(
    const SqliteConnection& connection);
absl::StatusOr<std::vector<StoredDecision>> ReadDecisions(
    const SqliteConnection& connection, const std::string& cluster,
    std::uint32_t job_id, std::size_t limit);

}  // namespace coolspan

#endif  // COOLSPAN_STATE_SQLITE_ROWS_H_
