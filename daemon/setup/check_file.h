// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SETUP_CHECK_FILE_H_
#define COOLSPAN_SETUP_CHECK_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace coolspan {

struct CheckedFile {
  std::string kind;                   // "machine" or "daemon"
  std::string summary;                // one line
  std::vector<std::string> warnings;  // as LoadMachineFile
  std::vector<std::string> rules;     // of a daemon file, one line each
};

// Validates a machine file or daemon file, detected by its keys, and the files
// it names, as the daemon does when it starts.
// Errors: as LoadMachineFile.
absl::StatusOr<CheckedFile> CheckConfigFile(const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_SETUP_CHECK_FILE_H_
