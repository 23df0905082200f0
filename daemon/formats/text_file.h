// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_TEXT_FILE_H_
#define COOLSPAN_FORMATS_TEXT_FILE_H_

#include <string>

#include "absl/status/statusor.h"

namespace coolspan {

// The whole file. Errors, starting with the path: NOT_FOUND "no such file", or
// with the system's reason, as for a loop of symbolic links; INVALID_ARGUMENT
// for a directory, an unreadable file and one of more than 64 MiB.
absl::StatusOr<std::string> ReadTextFile(const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_TEXT_FILE_H_
