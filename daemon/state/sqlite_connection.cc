// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/sqlite_connection.h"

#include <fmt/format.h>

#include <utility>

#include "absl/strings/escaping.h"

namespace coolspan {
namespace {

constexpr int kBusyTimeoutMs = 5000;

// text: may quote the file, which may contain any bytes.
absl::Status MakeError(const std::string& path, int code, const char* text) {
  const int primary = code & 0xff;
  const std::string message = absl::CHexEscape(text);
  // SQLITE_ERROR: a statement does not match the tables, which are damaged, as
  // the statements are constants. SQLITE_TOOBIG: a length in the file is.
  if (primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB ||
      primary == SQLITE_ERROR || primary == SQLITE_TOOBIG) {
    return absl::DataLossError(
        fmt::format("{}: the state file is corrupt ({})", path, message));
  }
  return absl::UnavailableError(
      fmt::format("{}: the state file cannot be used ({}); check the "
                  "permissions and the free space of the directory",
                  path, message));
}

// For an error code of SQLite on an open connection.
absl::Status ErrorOf(sqlite3* handle, int code) {
  const char* const path = sqlite3_db_filename(handle, "main");
  return MakeError(path == nullptr ? "" : path, code, sqlite3_errmsg(handle));
}

}  // namespace

absl::StatusOr<SqliteConnection> SqliteConnection::Open(const std::string& path,
                                                        Mode mode) {
  sqlite3* handle = nullptr;
  const int flags = mode == Mode::kReadWrite
                        ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                        : SQLITE_OPEN_READONLY;
  const int code = sqlite3_open_v2(path.c_str(), &handle,
                                   flags | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteConnection connection(path, handle);
  if (code != SQLITE_OK) {
    return MakeError(
        path, code,
        handle == nullptr ? "out of memory" : sqlite3_errmsg(handle));
  }
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  connection.TrustFile(false);
  return connection;
}

void SqliteConnection::TrustFile(bool is_trusted) {
  sqlite3_db_config(get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, is_trusted ? 0 : 1,
                    nullptr);
}

absl::Status SqliteConnection::Run(const char* sql) {
  const int code = sqlite3_exec(get(), sql, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : ErrorOf(get(), code);
}

absl::Status SqliteConnection::InTransaction(
    absl::FunctionRef<absl::Status()> body) {
  absl::Status status = Run("BEGIN IMMEDIATE");
  if (!status.ok()) return status;
  status = body();
  if (status.ok()) status = Run("COMMIT");
  const bool is_open = sqlite3_get_autocommit(get()) == 0;
  if (!status.ok() && is_open) status.Update(Run("ROLLBACK"));
  return status;
}

absl::Status SqliteConnection::Checkpoint() {
  const int code = sqlite3_wal_checkpoint_v2(
      get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  // Busy: another checkpoint runs.
  const bool is_done = code == SQLITE_OK || code == SQLITE_BUSY;
  return is_done ? absl::OkStatus() : ErrorOf(get(), code);
}

absl::Status SqliteConnection::CheckpointAll() {
  const int code = sqlite3_wal_checkpoint_v2(
      get(), nullptr, SQLITE_CHECKPOINT_FULL, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : ErrorOf(get(), code);
}

absl::Status SqliteConnection::TruncateLog() {
  const int code = sqlite3_wal_checkpoint_v2(
      get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : ErrorOf(get(), code);
}

void SqliteConnection::GrowBy(int bytes) {
  sqlite3_file_control(get(), "main", SQLITE_FCNTL_CHUNK_SIZE, &bytes);
}

void SqliteConnection::CountLogPages(std::atomic<int>& pages) {
  sqlite3_wal_hook(
      get(),
      [](void* counter, sqlite3*, const char*, int now) {
        static_cast<std::atomic<int>*>(counter)->store(now);
        return SQLITE_OK;
      },
      &pages);
}

absl::StatusOr<std::string> SqliteConnection::QueryText(const char* sql) {
  auto statement = SqliteStatement::Prepare(*this, sql);
  if (!statement.ok()) return statement.status();
  std::string answer;
  if (statement->Step()) answer = statement->Text(0);
  if (absl::Status status = statement->Reset(); !status.ok()) return status;
  return answer;
}

absl::StatusOr<SqliteStatement> SqliteStatement::Prepare(
    const SqliteConnection& connection, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(connection.get(), sql, -1, &statement, nullptr);
  SqliteStatement prepared(statement);
  if (code != SQLITE_OK) return ErrorOf(connection.get(), code);
  return prepared;
}

absl::StatusOr<std::vector<SqliteStatement>> SqliteStatement::PrepareAll(
    const SqliteConnection& connection, std::span<const char* const> sql) {
  std::vector<SqliteStatement> statements;
  for (const char* const text : sql) {
    auto statement = Prepare(connection, text);
    if (!statement.ok()) return statement.status();
    statements.push_back(*std::move(statement));
  }
  return statements;
}

void SqliteStatement::NoteError(int code) {
  if (code != SQLITE_OK && status_.ok()) {
    status_ = ErrorOf(sqlite3_db_handle(statement_.get()), code);
  }
}

SqliteStatement& SqliteStatement::Bind(std::int64_t value) {
  NoteError(sqlite3_bind_int64(statement_.get(), ++bound_, value));
  return *this;
}

SqliteStatement& SqliteStatement::Bind(double value) {
  NoteError(sqlite3_bind_double(statement_.get(), ++bound_, value));
  return *this;
}

SqliteStatement& SqliteStatement::Bind(std::optional<double> value) {
  if (value.has_value()) return Bind(*value);
  NoteError(sqlite3_bind_null(statement_.get(), ++bound_));
  return *this;
}

SqliteStatement& SqliteStatement::Bind(std::string_view value) {
  NoteError(sqlite3_bind_text64(statement_.get(), ++bound_, value.data(),
                                value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

bool SqliteStatement::Step() {
  if (!status_.ok()) return false;
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) NoteError(code);
  return code == SQLITE_ROW;
}

absl::Status SqliteStatement::Reset() {
  sqlite3_reset(statement_.get());
  bound_ = 0;
  return std::exchange(status_, absl::OkStatus());
}

absl::Status SqliteStatement::Finish() {
  while (Step()) {
  }
  return Reset();
}

int SqliteStatement::columns() const {
  return sqlite3_column_count(statement_.get());
}

std::string SqliteStatement::NameOf(int column) const {
  return sqlite3_column_name(statement_.get(), column);
}

int SqliteStatement::TypeOf(int column) const {
  return sqlite3_column_type(statement_.get(), column);
}

std::int64_t SqliteStatement::Integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double SqliteStatement::Number(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::optional<double> SqliteStatement::OptionalNumber(int column) const {
  if (sqlite3_column_type(statement_.get(), column) == SQLITE_NULL) {
    return std::nullopt;
  }
  return Number(column);
}

std::string SqliteStatement::Text(int column) const {
  const unsigned char* const text =
      sqlite3_column_text(statement_.get(), column);
  if (text == nullptr) return "";
  // NOLINTNEXTLINE: SQLite's text is unsigned.
  return {
      reinterpret_cast<const char*>(text),
      static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

}  // namespace coolspan
