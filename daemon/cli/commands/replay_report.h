// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_REPLAY_REPORT_H_
#define COOLSPAN_CLI_COMMANDS_REPLAY_REPORT_H_

#include <ostream>
#include <vector>

#include "core/machine.h"
#include "replay/replay.h"
#include "replay/workload.h"

namespace coolspan {

// The output of coolspan replay, as documented in docs/man/coolspan-replay.1.
// REQUIRES of all functions: as many reports as the setup has policies.

// Prints one line.
void PrintReplayJson(const ReplaySetup& setup, const TraceCounts& counts,
                     const std::vector<RunReport>& reports, std::ostream& out);
// Prints a column for each policy. With previewed policies: a row for each
// placing policy and a column for each previewed one.
void PrintReplayTables(const ReplaySetup& setup, const TraceCounts& counts,
                       const std::vector<RunReport>& reports,
                       std::ostream& out);

// Each prints lines "note: ...", if there is something to note: about jobs of
// the trace that were sorted or skipped, supply temperatures outside the valid
// range of the CoP model, and jobs that previewed policies did not place.
void PrintTraceNotes(const TraceCounts& counts, const Machine& machine,
                     std::ostream& err);
void PrintCoolingNotes(const std::vector<RunReport>& reports,
                       std::ostream& err);
void PrintPreviewNotes(const std::vector<RunReport>& reports,
                       std::ostream& err);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_REPLAY_REPORT_H_
