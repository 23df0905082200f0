// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_JOB_HISTORY_H_
#define COOLSPAN_CLI_COMMANDS_JOB_HISTORY_H_

#include <string>

#include "absl/status/statusor.h"
#include "cli/console.h"
#include "cli/daemon_call.h"

namespace coolspan {

// Times as in sacct, see ParseSacctTimeS; empty: no limit.
struct HistoryOptions {
  bool history = false;
  std::string since;
  std::string until;
};

// Prints the stored job starts and ends in the form of sacct --parsable2, which
// coolspan replay reads, or as JSON. Errors: INVALID_ARGUMENT naming the
// option; AskHistory's.
absl::StatusOr<Exit> PrintHistory(const DaemonOptions& daemon,
                                  const HistoryOptions& options,
                                  const Console& console);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_JOB_HISTORY_H_
