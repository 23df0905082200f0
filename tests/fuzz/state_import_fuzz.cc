// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary bytes as an export of the state.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "fuzz/expect.h"
#include "state/sqlite_archive_schema.h"
#include "state/sqlite_ledger_schema.h"
#include "state/state_export.h"
#include "state/state_import.h"

namespace {

coolspan::SqliteConnection InMemory(const coolspan::SqliteSchema& schema) {
  auto connection = coolspan::SqliteConnection::Open(
      ":memory:", coolspan::SqliteConnection::Mode::kReadWrite);
  coolspan::Expect(connection.ok() &&
                   coolspan::PrepareSchema(*connection, schema).ok());
  return *std::move(connection);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using coolspan::Expect;
  auto ledger = InMemory(coolspan::kLedgerSchema);
  auto archive = InMemory(coolspan::kArchiveSchema);
  // NOLINTNEXTLINE: libFuzzer's bytes are unsigned.
  std::istringstream in({reinterpret_cast<const char*>(data), size});
  const auto rows = coolspan::ImportRows(in, "f", ledger, &archive);
  if (!rows.ok()) {
    coolspan::ExpectOneLine(rows.status(), "f:");
    return 0;
  }
  // What was taken can be exported and taken again.
  std::stringstream exported;
  const auto write = [&exported](const std::string& line) {
    exported << line;
    return absl::OkStatus();
  };
  Expect(coolspan::ExportRows(ledger, &archive, write).ok());
  auto ledger_again = InMemory(coolspan::kLedgerSchema);
  auto archive_again = InMemory(coolspan::kArchiveSchema);
  Expect(
      coolspan::ImportRows(exported, "g", ledger_again, &archive_again).ok());
  return 0;
}
