// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_REPLAY_REPORT_H_
#define COOLSPAN_CLI_COMMANDS_REPLAY_REPORT_H_

#include <ostream>
#include <vector>

#include "core/machine.h"
#include "replay/replay.h"
#include "replay/workload.h"

namespace coolspan {

// What coolspan replay says of its runs. docs/man/coolspan-replay.1 tells what
// is in it. REQUIRES of all: as many reports as the setup has policies.

// On one line.
void PrintReplayJson(const ReplaySetup& setup, const TraceCounts& counts,
                     const std::vector<RunReport>& reports, std::ostream& out);
// For people: a column for each policy; where policies were previewed, a row
// for each situation and a column for each of those.
void PrintReplayTables(const ReplaySetup& setup, const TraceCounts& counts,
                       const std::vector<RunReport>& reports,
                       std::ostream& out);

// Notes of what one would not expect, a line each.
void NoteOddities(const TraceCounts& counts, const Machine& machine,
                  std::ostream& err);
void NoteCooling(const std::vector<RunReport>& reports, std::ostream& err);
void NoteUnplaced(const std::vector<RunReport>& reports, std::ostream& err);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_REPLAY_REPORT_H_
