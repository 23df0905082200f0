// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_SQLITE_LEDGER_SCHEMA_H_
#define COOLSPAN_STATE_SQLITE_LEDGER_SCHEMA_H_

#include "state/sqlite_schema.h"

namespace coolspan {

// Files up to this version also have the tables of the archive. The step from
// it drops them.
inline constexpr int kLastLedgerVersionWithHistory = 7;

extern const SqliteSchema kLedgerSchema;

}  // namespace coolspan

#endif  // COOLSPAN_STATE_SQLITE_LEDGER_SCHEMA_H_
