// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_REPLAY_REPORT_H_
#define COOLSPAN_CLI_COMMANDS_REPLAY_REPORT_H_

#include <cstddef>
#include <ostream>
#include <vector>

#include "cli/console.h"
#include "replay/input/workload.h"
#include "replay/replay.h"

namespace coolspan {

// The output of coolspan replay, as documented in docs/man/coolspan-replay.1.
// JSON: replay_json.h. REQUIRES of all functions: as many reports as the setup
// has policies.

// Prints a column for each run; of runs that differ in the seed only, means and
// confidence intervals. With previewed policies: a row for each
// placing policy and a column for each previewed one.
void PrintReplayTables(const ReplaySetup& setup, const Workload& workload,
                       const std::vector<RunReport>& reports,
                       const Console& console);

// Whether PrintReplayTables draws the series of that many runs, and needs them.
bool DrawsSparklines(const Console& console, std::size_t runs);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_REPLAY_REPORT_H_
