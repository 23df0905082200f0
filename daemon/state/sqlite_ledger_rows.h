// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_SQLITE_LEDGER_ROWS_H_
#define COOLSPAN_STATE_SQLITE_LEDGER_ROWS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "state/ledger_store.h"
#include "state/sqlite_connection.h"

namespace coolspan {

// Writes to the ledger's tables by prepared statements, in the transaction that
// the caller has begun.
class SqliteLedgerWriter {
 public:
  static absl::StatusOr<SqliteLedgerWriter> Prepare(
      const SqliteConnection& connection);

  // Counts the write. Error: ABORTED (a later term has begun).
  absl::Status CheckTerm(const SqliteConnection& connection,
                         std::uint64_t term);
  // Returns at the first error, which may also have ended the transaction.
  absl::Status Write(const LedgerChange& change);
  absl::Status Put(const StoredLearning& learned);

 private:
  enum Statement {
    kDropQueues,
    kDropHoldings,
    kPutCluster,
    kPutQueue,
    kPutHolding,
    kDropHolding,
    kSetMode,
    kCountWrite,
    kDropCluster,
    kSetHeard,
    kSetIncomplete,
    kPutLearned,
    kStatements,
  };
  explicit SqliteLedgerWriter(std::vector<SqliteStatement> statements)
      : statements_(std::move(statements)) {}

  absl::Status WriteSync(const StoredCluster& cluster);
  absl::Status Remove(const std::string& cluster);
  absl::Status Put(const std::string& cluster, const StoredQueue& queue);
  absl::Status Put(const std::string& cluster, const StoredHolding& holding);

  std::vector<SqliteStatement> statements_;  // by Statement
};

// Error: DATA_LOSS; the message names the invalid row.
absl::StatusOr<std::vector<StoredCluster>> ReadClusters(
    const SqliteConnection& connection);
absl::StatusOr<std::vector<StoredLearning>> ReadLearned(
    const SqliteConnection& connection);

}  // namespace coolspan

#endif  // COOLSPAN_STATE_SQLITE_LEDGER_ROWS_H_
