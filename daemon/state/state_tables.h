// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_STATE_TABLES_H_
#define COOLSPAN_STATE_STATE_TABLES_H_

#include <array>

namespace coolspan {

// A table of the state, in the form that is exported.
struct StateTable {
  const char* name;
  const char* order;  // columns that sort its rows
  bool is_history;    // in the archive, else in the ledger
};

inline constexpr std::array kStateTables = {
    StateTable{"ledger", "id", false},
    StateTable{"clusters", "name", false},
    StateTable{"queues", "cluster, client_id", false},
    StateTable{"holdings", "cluster, job_id", false},
    StateTable{"learned", "name", false},
    StateTable{"decisions", "number", true},
    StateTable{"starts", "number", true},
    StateTable{"removals", "cluster", true},
};

// Names in the first and the last line of an export.
inline constexpr char kFormatKey[] = "coolspan_state";
inline constexpr int kFormatVersion = 1;
inline constexpr char kLedgerVersionKey[] = "ledger_version";
inline constexpr char kArchiveVersionKey[] = "archive_version";
inline constexpr char kEndKey[] = "end";
// {"hex": "..."}: a text that is not UTF-8.
inline constexpr char kHexKey[] = "hex";

}  // namespace coolspan

#endif  // COOLSPAN_STATE_STATE_TABLES_H_
