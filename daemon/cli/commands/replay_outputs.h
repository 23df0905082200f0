// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_REPLAY_OUTPUTS_H_
#define COOLSPAN_CLI_COMMANDS_REPLAY_OUTPUTS_H_

#include "absl/status/statusor.h"
#include "cli/commands/replay_options.h"

namespace coolspan {

// Checks that no output of a replay replaces one of its inputs or another
// output. Returns whether standard output is a CSV file or a page. Error:
// INVALID_ARGUMENT.
absl::StatusOr<bool> CheckOutputs(const ReplayOptions& options, bool json);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_REPLAY_OUTPUTS_H_
