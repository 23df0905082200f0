// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "core/hostlist.h"
#include "state/sqlite_archive_schema.h"
#include "state/sqlite_ledger_rows.h"
#include "state/sqlite_ledger_schema.h"
#include "state/state_import.h"
#include "state/state_tables.h"
#include "state/units_text.h"

namespace coolspan {
namespace {

using ReadJson = nlohmann::ordered_json;

constexpr std::size_t kMaxLineBytes = std::size_t{64} << 20;

// What a table takes.
struct TableColumn {
  std::string name;
  std::string type;  // INTEGER, REAL or TEXT
  bool may_be_null = false;
  bool is_key = false;
  std::optional<std::string> default_sql;
};

struct TargetTable {
  std::vector<TableColumn> columns;
  std::optional<SqliteStatement> insert;  // nullopt: checked only
};

// Two digits a byte; nullopt: not hexadecimal.
std::optional<std::string> BytesOfHex(std::string_view digits) {
  std::string bytes(digits.size() / 2, '\0');
  if (digits.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char* const first = digits.data() + 2 * i;
    std::uint8_t byte = 0;
    const auto read = std::from_chars(first, first + 2, byte, 16);
    if (read.ec != std::errc() || read.ptr != first + 2) return std::nullopt;
    bytes[i] = static_cast<char>(byte);
  }
  return bytes;
}

absl::StatusOr<std::vector<TableColumn>> ColumnsOf(
    const SqliteConnection& connection, const char* table) {
  const std::string sql = fmt::format("PRAGMA table_info({})", table);
  auto rows = SqliteStatement::Prepare(connection, sql.c_str());
  if (!rows.ok()) return rows.status();
  std::vector<TableColumn> columns;
  while (rows->Step()) {
    TableColumn column{rows->Text(1), rows->Text(2), rows->Integer(3) == 0,
                       rows->Integer(5) != 0, std::nullopt};
    if (rows->TypeOf(4) != SQLITE_NULL) column.default_sql = rows->Text(4);
    columns.push_back(std::move(column));
  }
  if (absl::Status status = rows->Reset(); !status.ok()) return status;
  return columns;
}

absl::StatusOr<SqliteStatement> PrepareInsert(
    const SqliteConnection& connection, const StateTable& table,
    const std::vector<TableColumn>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const TableColumn& column : columns) names.push_back(column.name);
  std::string marks = "?";
  for (std::size_t i = 1; i < names.size(); ++i) marks += ",?";
  // The new ledger has the row of the ledger.
  const bool replaces = std::string_view(table.name) == "ledger";
  const std::string sql = fmt::format("INSERT {} INTO {}({}) VALUES({})",
                                      replaces ? "OR REPLACE" : "", table.name,
                                      fmt::join(names, ","), marks);
  return SqliteStatement::Prepare(connection, sql.c_str());
}

// Reads the lines of an export and adds their rows.
class RowImporter {
 public:
  RowImporter(std::istream& in, const std::string& name,
              SqliteConnection& ledger, SqliteConnection* archive)
      : in_(in), name_(name), ledger_(ledger), archive_(archive) {}

  absl::StatusOr<StateRows> Import() {
    absl::Status status = PrepareTables();
    if (status.ok()) status = ReadFirst();
    while (status.ok() && !is_ended_) status = ReadRow();
    if (status.ok() && in_.peek() != std::istream::traits_type::eof()) {
      ++line_;
      status = ErrorAt(1, "text after the last line (expected none)");
    }
    if (!status.ok()) return status;
    return counts_;
  }

 private:
  absl::Status ErrorAt(std::size_t column, const std::string& what) const {
    return absl::InvalidArgumentError(
        fmt::format("{}:{}:{}: {}", name_, line_, column, what));
  }
  // At the value of a column, or the start of the line.
  absl::Status ErrorOf(const std::string& column,
                       const std::string& what) const {
    const std::size_t at = text_.find(fmt::format("\"{}\":", column));
    return ErrorAt(at == std::string::npos ? 1 : at + 1,
                   fmt::format("{}: {}", absl::CHexEscape(column), what));
  }

  absl::Status PrepareTables() {
    for (const StateTable& table : kStateTables) {
      SqliteConnection* const connection =
          table.is_history ? archive_ : &ledger_;
      if (connection == nullptr) {
        tables_[table.name];
        continue;
      }
      auto columns = ColumnsOf(*connection, table.name);
      if (!columns.ok()) return columns.status();
      auto insert = PrepareInsert(*connection, table, *columns);
      if (!insert.ok()) return insert.status();
      tables_[table.name] = {*std::move(columns), *std::move(insert)};
    }
    return absl::OkStatus();
  }

  // The next line, an object.
  absl::StatusOr<ReadJson> ReadLine() {
    ++line_;
    text_.clear();
    if (!std::getline(in_, text_)) {
      return ErrorAt(1, fmt::format("the file ends early (expected a line with "
                                    "\"{}\")",
                                    kEndKey));
    }
    if (text_.size() > kMaxLineBytes) {
      return ErrorAt(kMaxLineBytes,
                     "the line is too long (expected at most 64 "
                     "MiB)");
    }
    try {
      ReadJson json = ReadJson::parse(text_);
      if (json.is_object()) return json;
      return ErrorAt(1, "not an object (expected {...})");
    } catch (const ReadJson::parse_error& error) {
      return ErrorAt(std::max<std::size_t>(1, error.byte),
                     "not valid JSON (expected one object on the line)");
    } catch (const ReadJson::exception&) {
      return ErrorAt(1, "not valid JSON (expected one object on the line)");
    }
  }

  absl::Status CheckVersion(const ReadJson& first, const char* key,
                            int supported) const {
    const auto version = first.find(key);
    if (version == first.end() || !version->is_number_integer()) {
      return ErrorOf(key, "is missing or not a number (expected a version)");
    }
    // Compared as JSON: any size.
    if (*version >= 1 && *version <= supported) return absl::OkStatus();
    return ErrorOf(key, fmt::format("version {} is not supported (expected at "
                                    "most {})",
                                    version->dump(), supported));
  }

  absl::Status ReadFirst() {
    const auto first = ReadLine();
    if (!first.ok()) return first.status();
    if (!first->contains(kFormatKey)) {
      return ErrorAt(1, fmt::format("not an export of coolspan state (expected "
                                    "\"{}\")",
                                    kFormatKey));
    }
    absl::Status status = CheckVersion(*first, kFormatKey, kFormatVersion);
    if (status.ok()) {
      status = CheckVersion(*first, kLedgerVersionKey, kLedgerSchema.version);
    }
    has_history_ = first->contains(kArchiveVersionKey);
    if (status.ok() && has_history_) {
      status = CheckVersion(*first, kArchiveVersionKey, kArchiveSchema.version);
    }
    return status;
  }

  absl::Status ReadRow() {
    const auto line = ReadLine();
    if (!line.ok()) return line.status();
    if (line->size() != 1 || !line->begin().value().is_object()) {
      return ErrorAt(1, "not a row (expected {\"TABLE\": {...}})");
    }
    const std::string& table = line->begin().key();
    const ReadJson& row = line->begin().value();
    if (table == kEndKey) return ReadEnd(row);
    const auto found = tables_.find(table);
    if (found == tables_.end()) {
      return ErrorAt(2, fmt::format("unknown table \"{}\" (expected clusters, "
                                    "queues, holdings, ledger, learned, "
                                    "decisions, starts or removals)",
                                    absl::CHexEscape(table)));
    }
    absl::Status status = AddRow(table, found->second, row);
    if (!status.ok()) return status;
    ++counts_[table];
    ++total_;
    return absl::OkStatus();
  }

  absl::Status ReadEnd(const ReadJson& end) {
    const auto rows = end.find("rows");
    if (rows == end.end() || *rows != total_) {
      return ErrorOf("rows", fmt::format("another number of rows than in the "
                                         "file (expected {})",
                                         total_));
    }
    is_ended_ = true;
    return absl::OkStatus();
  }

  absl::Status AddRow(const std::string& name, TargetTable& table,
                      const ReadJson& row) {
    if (!table.insert.has_value()) return absl::OkStatus();
    std::size_t known = 0;
    for (const TableColumn& column : table.columns) {
      const auto value = row.find(column.name);
      if (value == row.end()) {
        if (absl::Status status = BindDefault(column, *table.insert);
            !status.ok()) {
          return status;
        }
        continue;
      }
      ++known;
      absl::Status status = Bind(name, column, *value, *table.insert);
      if (!status.ok()) {
        table.insert->Reset().IgnoreError();
        return status;
      }
    }
    if (known != row.size()) {
      table.insert->Reset().IgnoreError();
      return UnknownColumn(table, row);
    }
    if (absl::Status status = CheckContents(name, row); !status.ok()) {
      table.insert->Reset().IgnoreError();
      return status;
    }
    absl::Status status = table.insert->Finish();
    if (status.ok()) return status;
    return ErrorAt(1, fmt::format("the row cannot be added (expected each key "
                                  "once): {}",
                                  std::string(status.message())));
  }

  absl::Status UnknownColumn(const TargetTable& table,
                             const ReadJson& row) const {
    for (const auto& [key, value] : row.items()) {
      const bool is_known = std::any_of(
          table.columns.begin(), table.columns.end(),
          [&key = key](const TableColumn& c) { return c.name == key; });
      if (!is_known) return ErrorOf(key, "unknown column (expected none)");
    }
    return ErrorAt(1, "a column is specified more than once (expected once)");
  }

  absl::Status BindDefault(const TableColumn& column,
                           SqliteStatement& insert) const {
    const std::string type = column.type;
    if (column.default_sql.has_value() && type == "INTEGER") {
      std::int64_t number = 0;
      const std::string& sql = *column.default_sql;
      std::from_chars(sql.data(), sql.data() + sql.size(), number);
      insert.Bind(number);
    } else if (column.default_sql.has_value()) {
      insert.Bind(std::string_view());  // all texts have this default
    } else if (column.may_be_null && !column.is_key) {
      insert.Bind(std::optional<double>());
    } else {
      insert.Reset().IgnoreError();
      return ErrorOf(column.name, "is missing (expected a value)");
    }
    return absl::OkStatus();
  }

  absl::Status Bind(const std::string& table, const TableColumn& column,
                    const ReadJson& value, SqliteStatement& insert) const {
    if (value.is_null() && column.may_be_null && !column.is_key) {
      insert.Bind(std::optional<double>());
      return absl::OkStatus();
    }
    if (column.type == "TEXT") return BindText(column, value, insert);
    if (column.type == "REAL" && value.is_number()) {
      insert.Bind(value.get<double>());
      return absl::OkStatus();
    }
    const bool is_integer =
        value.is_number_integer() &&
        (!value.is_number_unsigned() ||
         value.get<std::uint64_t>() <=
             std::uint64_t{std::numeric_limits<std::int64_t>::max()});
    if (column.type == "INTEGER" && is_integer) {
      insert.Bind(value.get<std::int64_t>());
      return absl::OkStatus();
    }
    return ErrorOf(column.name,
                   fmt::format("not valid in {} (expected a{} number)", table,
                               column.type == "REAL" ? "" : "n integer"));
  }

  absl::Status BindText(const TableColumn& column, const ReadJson& value,
                        SqliteStatement& insert) const {
    if (value.is_string()) {
      insert.Bind(std::string_view(value.get_ref<const std::string&>()));
      return absl::OkStatus();
    }
    const auto hex =
        value.is_object() && value.size() == 1 && value.contains(kHexKey)
            ? value[kHexKey]
            : ReadJson();
    if (hex.is_string()) {
      if (const auto bytes = BytesOfHex(hex.get_ref<const std::string&>())) {
        insert.Bind(std::string_view(*bytes));
        return absl::OkStatus();
      }
    }
    return ErrorOf(column.name, "not a text (expected \"...\")");
  }

  // What a daemon refuses to restore.
  absl::Status CheckContents(const std::string& table,
                             const ReadJson& row) const {
    if (table != "clusters" && table != "holdings") return absl::OkStatus();
    const auto text = [&row](const char* name) {
      const auto found = row.find(name);
      return found != row.end() && found->is_string()
                 ? found->get<std::string>()
                 : std::string();
    };
    const bool is_cluster = table == "clusters";
    const char* const hostlist = is_cluster ? "node_table" : "nodes";
    const char* const numbers = is_cluster ? "capacity" : "units";
    const auto units = ParseUnits(text(numbers));
    if (!units.has_value()) {
      return ErrorOf(numbers, "not valid (expected numbers as in 4x128,8)");
    }
    std::size_t names = 0;
    for (const char* const column : {hostlist, "contested"}) {
      const std::string list = text(column);
      if (list.empty()) continue;
      std::size_t count = 0;
      const absl::Status status =
          VisitHostlist(list, kMaxHostlistNames, [&count](std::string_view) {
            ++count;
            return absl::OkStatus();
          });
      if (!status.ok()) {
        return ErrorOf(column, fmt::format("not a hostlist: {}",
                                           std::string(status.message())));
      }
      if (column == hostlist) names = count;
    }
    if (!is_cluster) {
      const auto whole = row.find("whole");
      const bool is_whole = whole != row.end() && *whole != 0;
      if (is_whole != units->empty() && names > 0) {
        return ErrorOf(numbers,
                       is_whole ? "specified for whole nodes (expected \"\")"
                                : "empty (expected one for each node, or "
                                  "whole 1)");
      }
      if (units->empty()) return absl::OkStatus();
    }
    if (units->size() == names) return absl::OkStatus();
    return ErrorOf(numbers, fmt::format("{} numbers for {} nodes (expected one "
                                        "for each)",
                                        units->size(), names));
  }

  std::istream& in_;
  const std::string name_;
  SqliteConnection& ledger_;
  SqliteConnection* const archive_;
  std::map<std::string, TargetTable> tables_;
  std::size_t line_ = 0;
  std::string text_;
  bool has_history_ = false;
  bool is_ended_ = false;
  std::uint64_t total_ = 0;
  StateRows counts_;
};

}  // namespace

absl::StatusOr<StateRows> ImportRows(std::istream& in, const std::string& name,
                                     SqliteConnection& ledger,
                                     SqliteConnection* archive) {
  absl::StatusOr<StateRows> counts;
  const auto import = [&]() -> absl::Status {
    counts = RowImporter(in, name, ledger, archive).Import();
    if (!counts.ok()) return counts.status();
    // As a daemon reads them.
    absl::Status status = ReadClusters(ledger).status();
    if (!absl::IsDataLoss(status)) return status;
    return absl::InvalidArgumentError(
        fmt::format("{}: {}", name, std::string(status.message())));
  };
  const absl::Status status = ledger.InTransaction([&] {
    return archive == nullptr ? import() : archive->InTransaction(import);
  });
  if (!status.ok()) return status;
  return counts;
}

}  // namespace coolspan
