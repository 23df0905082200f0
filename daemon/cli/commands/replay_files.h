// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_REPLAY_FILES_H_
#define COOLSPAN_CLI_COMMANDS_REPLAY_FILES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "replay/input/workload.h"
#include "replay/output/replaced_file.h"
#include "replay/replay.h"

namespace coolspan {

// The files of --series, --report and --summary. They appear complete at the
// end of the replay or not at all.
class ReplayFiles {
 public:
  struct Paths {  // empty: not requested
    std::string series;
    std::string report;
    std::string summary;
  };
  // Error: INVALID_ARGUMENT for a file that cannot be written.
  static absl::StatusOr<ReplayFiles> Create(const Paths& paths);

  // Sets what the replay records for them.
  void Request(ReplaySetup& setup) const;
  // trace: its path. Error: as Create.
  absl::Status Write(const ReplaySetup& setup, const std::string& trace,
                     const std::string& command_line, const TraceCounts& counts,
                     const std::vector<RunReport>& reports);

 private:
  std::unique_ptr<ReplacedFile> series_;
  std::unique_ptr<ReplacedFile> report_;
  std::unique_ptr<ReplacedFile> summary_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_REPLAY_FILES_H_
