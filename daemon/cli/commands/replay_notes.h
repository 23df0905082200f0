// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_REPLAY_NOTES_H_
#define COOLSPAN_CLI_COMMANDS_REPLAY_NOTES_H_

#include <ostream>
#include <vector>

#include "replay/input/workload.h"
#include "replay/replay.h"

namespace coolspan {

// Each prints lines "note: ..." or "warning: ...", if there is something to
// note: about jobs of the trace that were sorted or skipped, a machine that the
// jobs saturate, options without effect on the runs, jobs that started later
// than recorded, searches that stopped early, supply temperatures outside the
// valid range of the CoP model, and jobs that previewed policies did not place.
void PrintTraceNotes(const ReplaySetup& setup, const WorkloadOptions& options,
                     const Workload& workload, std::ostream& err);
void PrintRunNotes(const ReplaySetup& setup, const Workload& workload,
                   const std::vector<RunReport>& reports, std::ostream& err);
void PrintLateNotes(const std::vector<RunReport>& reports, std::ostream& err);
void PrintStoppedNotes(const std::vector<RunReport>& reports,
                       std::ostream& err);
void PrintCoolingNotes(const std::vector<RunReport>& reports,
                       std::ostream& err);
void PrintPreviewNotes(const std::vector<RunReport>& reports,
                       std::ostream& err);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_REPLAY_NOTES_H_
