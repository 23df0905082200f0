// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_SQLITE_CONNECTION_H_
#define COOLSPAN_STATE_SQLITE_CONNECTION_H_

#include <sqlite3.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace coolspan {

// One connection to an SQLite file. Not thread-safe.
class SqliteConnection {
 public:
  enum class Mode { kReadWrite, kReadOnly };

  // Errors of this and the functions below: UNAVAILABLE (no space, no
  // permission, busy), DATA_LOSS (not a database, corrupt, tables that are not
  // those of the schema). The message names the file.
  // Until TrustFile, the end of the connection leaves the write-ahead log as it
  // is: copying it to a corrupt database could destroy more.
  static absl::StatusOr<SqliteConnection> Open(const std::string& path,
                                               Mode mode);

  // Runs statements without parameters and results.
  absl::Status Run(const char* sql);
  // Runs body in a transaction: commits if it returns OK, else rolls back.
  // REQUIRES that body returns at its first error: SQLite may already have
  // rolled back, and a later statement would be a transaction of its own
  // (https://www.sqlite.org/lang_transaction.html, section 3).
  absl::Status InTransaction(absl::FunctionRef<absl::Status()> body);
  // The first column of the first row; empty if there are no rows.
  absl::StatusOr<std::string> QueryText(const char* sql);

  // The file was checked: the end of the last connection copies the write-ahead
  // log to the database and removes it.
  void TrustFile(bool is_trusted = true);

  // Copies what is in the write-ahead log to the database, as far as that needs
  // no lock that another connection holds
  // (https://www.sqlite.org/c3ref/wal_checkpoint_v2.html, PASSIVE).
  absl::Status Checkpoint();
  // Copies all of it, and syncs the database. Error: also if another connection
  // holds a lock for long.
  absl::Status CheckpointAll();
  // Copies all of it and makes it empty. REQUIRES that no other connection
  // reads or writes meanwhile.
  absl::Status TruncateLog();
  // Lets the database grow by this many bytes at a time, from the next
  // checkpoint of this connection on.
  void GrowBy(int bytes);
  // Leaves checkpoints to another connection: they sync the disk, and SQLite
  // makes them within a commit. Counts the pages of the log after each commit
  // in pages, which must outlive the connection.
  void CountLogPages(std::atomic<int>& pages);

  const std::string& path() const { return path_; }
  sqlite3* get() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  SqliteConnection(std::string path, sqlite3* handle)
      : path_(std::move(path)), handle_(handle) {}

  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

// The value of a column that is true or false.
inline std::int64_t Flag(bool value) { return value ? 1 : 0; }

// A prepared statement, which can be reused: Bind in order, Step until it
// returns false, Reset. REQUIRES that the connection is open. After a failed
// Bind or Step, Step returns false until Reset, which returns the error.
class SqliteStatement {
 public:
  static absl::StatusOr<SqliteStatement> Prepare(
      const SqliteConnection& connection, const char* sql);
  static absl::StatusOr<std::vector<SqliteStatement>> PrepareAll(
      const SqliteConnection& connection, std::span<const char* const> sql);

  SqliteStatement& Bind(std::int64_t value);
  SqliteStatement& Bind(double value);
  SqliteStatement& Bind(std::optional<double> value);  // nullopt: NULL
  // The text is copied.
  SqliteStatement& Bind(std::string_view value);
  // Returns true if there is a row.
  bool Step();
  absl::Status Reset();
  // Steps to the end and resets.
  absl::Status Finish();

  int columns() const;
  std::string NameOf(int column) const;
  int TypeOf(int column) const;  // SQLITE_INTEGER and so on
  std::int64_t Integer(int column) const;
  double Number(int column) const;
  std::optional<double> OptionalNumber(int column) const;
  std::string Text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const {
      sqlite3_finalize(statement);
    }
  };
  explicit SqliteStatement(sqlite3_stmt* statement) : statement_(statement) {}
  void NoteError(int code);

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
  absl::Status status_;
};

}  // namespace coolspan

#endif  // COOLSPAN_STATE_SQLITE_CONNECTION_H_
