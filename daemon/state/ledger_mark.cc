// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/ledger_mark.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <system_error>

#include "absl/strings/numbers.h"

namespace coolspan {
namespace {

constexpr std::string_view kMark = "changes=";

// 0: not known.
std::uint64_t NotedSequence(const FileLock& lock) {
  const std::string note = lock.ReadNote();
  if (!note.starts_with(kMark)) return 0;
  std::uint64_t sequence = 0;
  const char* const number = note.data() + kMark.size();
  const auto [stop, error] =
      std::from_chars(number, note.data() + note.size(), sequence);
  return error == std::errc() ? sequence : 0;
}

}  // namespace

absl::StatusOr<std::uint64_t> QueryNumber(SqliteConnection& connection,
                                          const char* sql) {
  auto text = connection.QueryText(sql);
  if (!text.ok()) return text.status();
  std::uint64_t number = 0;
  if (absl::SimpleAtoi(*text, &number)) return number;
  return absl::DataLossError(fmt::format(
      "{}: the state file is corrupt (invalid term or number of changes)",
      connection.path()));
}

void NoteSequence(const FileLock& lock, std::uint64_t sequence) {
  // Always as long: written over the one before.
  lock.WriteNote(fmt::format("{}{:020}\n", kMark, sequence));
}

absl::StatusOr<std::uint64_t> StoredSequence(SqliteConnection& connection) {
  return QueryNumber(connection, "SELECT sequence FROM ledger");
}

absl::StatusOr<std::string> MissingChangesOf(SqliteFile& file) {
  const std::uint64_t noted = NotedSequence(file.lock);
  const auto sequence = StoredSequence(file.connection);
  if (!sequence.ok()) return sequence.status();
  if (noted <= *sequence) return std::string();
  return fmt::format(
      "{}: the last {} of {} changes are missing: the file is an older copy, "
      "or its write-ahead log was removed, cut off or not written to the "
      "disk at a crash of the host",
      file.connection.path(), noted - *sequence, noted);
}

}  // namespace coolspan
