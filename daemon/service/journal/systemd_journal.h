// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_SYSTEMD_JOURNAL_H_
#define COOLSPAN_SERVICE_JOURNAL_SYSTEMD_JOURNAL_H_

#include <spdlog/common.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace coolspan {

// Whether standard error is a stream of the systemd journal (JOURNAL_STREAM,
// systemd.exec(5)).
bool IsStandardErrorTheJournal();

// Writes an entry to the systemd journal: MESSAGE, PRIORITY, COOLSPAN_EVENT, a
// field COOLSPAN_NAME for each member of fields, an object, and for the events
// of kMessageIds also MESSAGE_ID. Waits while journald is busy. Without
// journald nothing happens. Thread-safe.
void WriteToJournal(spdlog::level::level_enum level, std::string_view event,
                    const nlohmann::ordered_json& fields,
                    const std::string& message);

// Events that an administrator may watch for, and their MESSAGE_ID
// (coolspand(8), LOG).
struct JournalMessageId {
  std::string_view event;
  std::string_view id;
};
inline constexpr JournalMessageId kMessageIds[] = {
    {"start", "70dd68a527be449887943e5a257afa87"},
    {"stop", "fd0b50a442434673899c8e1b92fdecb7"},
    {"reload", "4976ab66c1fc42b4aae776c17bbd1946"},
    {"drain", "2549c14e0c8444d09850e5037991a5d9"},
    {"watchdog", "d854d6750a704885ab6d84ab5f514c88"},
    {"config", "24f4fe4dc09141f095f08ba63e768b8f"},
    {"store", "64685cdd38eb4c2b80c05c5b730a2101"},
    {"redline", "766615dcc7604fec818d338a30042bd0"},
    {"sensor", "19228b2a6e0b4d499734f3964829d6ef"},
    {"state", "31895ec481174fde961cebb85223365e"},
    {"archive", "21a0f45d891b4f7f8e292e766fc35101"},
    {"remove", "7c980a3e2e844f4cbf46db7120aecffb"},
    {"tls", "1a788d59a36a48d3a4badc4a0357f27f"},
    {"refused", "7fc44d45966045228113591c33516415"},
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_SYSTEMD_JOURNAL_H_
