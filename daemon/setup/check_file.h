// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SETUP_CHECK_FILE_H_
#define COOLSPAN_SETUP_CHECK_FILE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/machine.h"
#include "plugin_conf/plugin_conf.h"

namespace coolspan {

struct CheckedFile {
  std::string path = {};
  std::string kind = {};                     // "machine", "daemon" or "plugin"
  std::string summary = {};                  // one line
  std::vector<std::string> warnings = {};    // as LoadMachineFile
  std::vector<std::string> room_notes = {};  // RoomRemarks::notes
  std::vector<std::string> rules = {};       // of a daemon file, one line each
  std::vector<std::string> listen = {};      // of a daemon file
  bool has_tls = false;  // of a daemon file: clients on TCP need certificates
  // The partitions of these rules, with the lines of the rules.
  std::vector<std::pair<int, std::string>> rule_partitions = {};
  // Of a machine or daemon file; machine_path is where it was read from.
  std::shared_ptr<const Machine> machine = nullptr;
  std::string machine_path = {};
  // Of a plugin file.
  std::shared_ptr<const plugin_conf_t> plugin_conf = nullptr;
};

// Validates a machine file or daemon file, detected by its keys, and the files
// it names, as the daemon does when it starts; or coolspan.conf, detected by
// its name or a first line Key=Value, as the plugin does. Errors: as
// LoadMachineFile.
absl::StatusOr<CheckedFile> CheckConfigFile(const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_SETUP_CHECK_FILE_H_
