// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_SQLITE_ARCHIVE_SCHEMA_H_
#define COOLSPAN_STATE_SQLITE_ARCHIVE_SCHEMA_H_

#include "state/sqlite_schema.h"

namespace coolspan {

extern const SqliteSchema kArchiveSchema;

}  // namespace coolspan

#endif  // COOLSPAN_STATE_SQLITE_ARCHIVE_SCHEMA_H_
