// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_STATE_SET_ASIDE_H_
#define COOLSPAN_STATE_SET_ASIDE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace coolspan {

// Renames a corrupt SQLite file and its write-ahead log to PATH.corrupt-TIME
// (UTC), which repair tools can open, so that a new file can take its place.
// Returns the new path. Nothing is deleted or overwritten. A symbolic link is
// followed. option: that sets the path, for messages.
// Errors: FileLock::Take's; UNAVAILABLE (cannot be renamed).
absl::StatusOr<std::string> SetAside(const std::string& path,
                                     std::string_view option);

// The same, to PATH.REASON-TIME. REQUIRES that the caller holds the file's lock
// and has closed its connections; the path is resolved.
absl::StatusOr<std::string> RenameAside(const std::string& path,
                                        std::string_view reason);
// Undoes it. name: as returned. Errors are ignored.
void RenameBack(const std::string& name, const std::string& path);

// Whether a database or its write-ahead log, which SQLite would take for that
// of a new database, is at the path.
bool IsTaken(const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_STATE_SET_ASIDE_H_
