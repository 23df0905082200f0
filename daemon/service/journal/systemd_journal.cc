// SPDX-License-Identifier: GPL-3.0-or-later
#define SD_JOURNAL_SUPPRESS_LOCATION  // of this file, in each entry
#include "service/journal/systemd_journal.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "absl/strings/ascii.h"

namespace coolspan {
namespace {

// As in syslog(3).
int PriorityOf(spdlog::level::level_enum level) {
  constexpr int kError = 3;
  constexpr int kWarning = 4;
  constexpr int kInfo = 6;
  constexpr int kDebug = 7;
  if (level >= spdlog::level::err) return kError;
  if (level == spdlog::level::warn) return kWarning;
  return level == spdlog::level::info ? kInfo : kDebug;
}

}  // namespace

bool IsStandardErrorTheJournal() {
  const char* const named =
      std::getenv("JOURNAL_STREAM");  // NOLINT(concurrency-*)
  struct stat error = {};
  return named != nullptr && fstat(STDERR_FILENO, &error) == 0 &&
         named == fmt::format("{}:{}", error.st_dev, error.st_ino);
}

void WriteToJournal(spdlog::level::level_enum level, std::string_view event,
                    const nlohmann::ordered_json& fields,
                    const std::string& message) {
  std::vector<std::string> entry = {
      fmt::format("MESSAGE={}", message),
      fmt::format("PRIORITY={}", PriorityOf(level)),
      fmt::format("COOLSPAN_EVENT={}", event)};
  for (const JournalMessageId& known : kMessageIds) {
    if (known.event == event) {
      entry.push_back(fmt::format("MESSAGE_ID={}", known.id));
    }
  }
  for (const auto& [name, value] : fields.items()) {
    entry.push_back(fmt::format(
        "COOLSPAN_{}={}", absl::AsciiStrToUpper(name),
        value.is_string()
            ? value.get_ref<const std::string&>()
            : value.dump(-1, ' ', false,
                         nlohmann::ordered_json::error_handler_t::replace)));
  }
  std::vector<iovec> parts;
  parts.reserve(entry.size());
  for (std::string& field : entry)
    parts.push_back({field.data(), field.size()});
  // There is nowhere to report that an entry is lost.
  static_cast<void>(
      sd_journal_sendv(parts.data(), static_cast<int>(parts.size())));
}

}  // namespace coolspan
