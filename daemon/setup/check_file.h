// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SETUP_CHECK_FILE_H_
#define COOLSPAN_SETUP_CHECK_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace coolspan {

struct CheckedFile {
  std::string kind;                   // "machine" or "daemon"
  std::string summary;                // what it describes, in one line
  std::vector<std::string> warnings;  // LoadMachineFile's
  std::vector<std::string> rules;     // of a daemon file, a line each
};

// Checks a machine or daemon file, told apart by its keys, and what it names,
// as a start of the daemon would.
// Errors: as LoadMachineFile's.
absl::StatusOr<CheckedFile> CheckConfigFile(const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_SETUP_CHECK_FILE_H_
