// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/state_export.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/escaping.h"
#include "state/ledger_mark.h"
#include "state/sqlite_archive_schema.h"
#include "state/sqlite_file.h"
#include "state/sqlite_ledger_schema.h"
#include "state/state_tables.h"

namespace coolspan {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Throws if text is not UTF-8, which is rare.
bool IsUtf8(const std::string& text) {
  try {
    static_cast<void>(OrderedJson(text).dump());
    return true;
  } catch (const OrderedJson::type_error&) {
    return false;
  }
}

OrderedJson ValueOf(const SqliteStatement& row, int column) {
  switch (row.TypeOf(column)) {
    case SQLITE_NULL:
      return nullptr;
    case SQLITE_INTEGER:
      return row.Integer(column);
    case SQLITE_FLOAT:
      return row.Number(column);
    default: {
      std::string text = row.Text(column);
      if (IsUtf8(text)) return text;
      return {{kHexKey, absl::BytesToHexString(text)}};
    }
  }
}

absl::StatusOr<std::uint64_t> ExportTable(const SqliteConnection& connection,
                                          const StateTable& table,
                                          const WriteLine& write) {
  const std::string sql =
      fmt::format("SELECT * FROM {} ORDER BY {}", table.name, table.order);
  auto rows = SqliteStatement::Prepare(connection, sql.c_str());
  if (!rows.ok()) return rows.status();
  std::uint64_t count = 0;
  while (rows->Step()) {
    OrderedJson row = OrderedJson::object();
    for (int column = 0; column < rows->columns(); ++column) {
      row[rows->NameOf(column)] = ValueOf(*rows, column);
    }
    absl::Status status =
        write(OrderedJson{{table.name, std::move(row)}}.dump() + '\n');
    if (!status.ok()) return status;
    ++count;
  }
  if (absl::Status status = rows->Reset(); !status.ok()) return status;
  return count;
}

// An existing file of the current version, locked.
absl::StatusOr<SqliteFile> OpenForExport(const std::string& path,
                                         const SqliteSchema& schema) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return absl::NotFoundError(fmt::format(
        "{}: does not exist (expected a state file of coolspand)", path));
  }
  auto file = OpenSqliteFile(path, schema.option);
  if (!file.ok()) return file.status();
  absl::Status status = CheckSchema(file->connection, schema);
  if (!status.ok()) return status;
  if (std::string_view(schema.option) == kLedgerSchema.option) {
    const auto missing = MissingChangesOf(*file);
    if (!missing.ok()) return missing.status();
    if (!missing->empty()) {
      return absl::FailedPreconditionError(fmt::format(
          "{} (expected: start coolspand once, which makes no decisions for "
          "these clusters before a Sync)",
          *missing));
    }
  }
  file->connection.TrustFile();
  return file;
}

}  // namespace

absl::StatusOr<StateRows> ExportRows(const SqliteConnection& ledger,
                                     const SqliteConnection* archive,
                                     const WriteLine& write) {
  OrderedJson first{{kFormatKey, kFormatVersion},
                    {kLedgerVersionKey, kLedgerSchema.version}};
  if (archive != nullptr) first[kArchiveVersionKey] = kArchiveSchema.version;
  absl::Status status = write(first.dump() + '\n');
  if (!status.ok()) return status;
  StateRows counts;
  std::uint64_t total = 0;
  for (const StateTable& table : kStateTables) {
    if (table.is_history && archive == nullptr) continue;
    const auto count =
        ExportTable(table.is_history ? *archive : ledger, table, write);
    if (!count.ok()) return count.status();
    counts[table.name] = *count;
    total += *count;
  }
  status = write(OrderedJson{{kEndKey, {{"rows", total}}}}.dump() + '\n');
  if (!status.ok()) return status;
  return counts;
}

absl::StatusOr<StateRows> ExportState(const std::string& ledger_path,
                                      const std::string& archive_path,
                                      const WriteLine& write) {
  auto ledger = OpenForExport(ledger_path, kLedgerSchema);
  if (!ledger.ok()) return ledger.status();
  std::optional<SqliteFile> archive;
  if (!archive_path.empty()) {
    auto file = OpenForExport(archive_path, kArchiveSchema);
    if (!file.ok()) return file.status();
    archive.emplace(*std::move(file));
  }
  return ExportRows(ledger->connection,
                    archive.has_value() ? &archive->connection : nullptr,
                    write);
}

}  // namespace coolspan
