// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_SQLITE_ARCHIVE_ROWS_H_
#define COOLSPAN_STATE_SQLITE_ARCHIVE_ROWS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "state/decision_archive.h"
#include "state/sqlite_connection.h"

namespace coolspan {

// Writes to the archive's tables by prepared statements, in the transaction
// that the caller has begun.
class SqliteArchiveWriter {
 public:
  static absl::StatusOr<SqliteArchiveWriter> Prepare(
      const SqliteConnection& connection);

  // Returns at the first error, which may also have ended the transaction.
  absl::Status Write(const ArchiveChange& change);
  // As DecisionArchive::Forget.
  absl::StatusOr<std::size_t> Forget(const SqliteConnection& connection,
                                     TimeMs recorded_before_ms,
                                     std::size_t limit);
  // Deletes the oldest, about limit rows, whenever they were recorded. Returns
  // the number of rows; 0: the archive is empty.
  absl::StatusOr<std::size_t> ForgetOldest(const SqliteConnection& connection,
                                           std::size_t limit);
  // As DecisionArchive::BeginRemoval.
  absl::Status BeginRemoval(const std::string& cluster);
  // As DecisionArchive::ContinueRemovals.
  absl::StatusOr<std::size_t> ContinueRemovals(
      const SqliteConnection& connection, std::size_t limit);

 private:
  enum Statement {
    kPutDecision,
    kPutOutcome,
    kForgetDecisions,
    kPutStart,
    kForgetStarts,
    kPutEnd,
    kOldestDecisions,
    kOldestStarts,
    kNoteRemoval,
    kRemoveDecisions,
    kRemoveStarts,
    kEndRemovals,
    kStatements,
  };
  explicit SqliteArchiveWriter(std::vector<SqliteStatement> statements)
      : statements_(std::move(statements)) {}

  absl::Status Put(const std::string& cluster, const StoredDecision& decision);
  absl::Status Put(const std::string& cluster, const StoredOutcome& outcome);
  absl::Status Put(const std::string& cluster, const StoredStart& start);
  absl::Status Put(const std::string& cluster, const StoredEnd& end);
  // Of the oldest rows, the time of the last; nullopt: none.
  absl::StatusOr<std::optional<TimeMs>> LastOfOldest(Statement query,
                                                     std::size_t limit);

  std::vector<SqliteStatement> statements_;  // by Statement
};

// As DecisionArchive::LastRecorded.
absl::StatusOr<TimeMs> NewestRecordMs(const SqliteConnection& connection);

// As DecisionArchive::DecisionsOf.
absl::StatusOr<std::vector<StoredDecision>> ReadDecisions(
    const SqliteConnection& connection, const std::string& cluster,
    std::uint32_t job_id, std::size_t limit);

}  // namespace coolspan

#endif  // COOLSPAN_STATE_SQLITE_ARCHIVE_ROWS_H_
