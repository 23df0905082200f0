// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_RUN_LABEL_H_
#define COOLSPAN_CLI_COMMANDS_RUN_LABEL_H_

#include <string>
#include <vector>

#include "replay/run_report.h"

namespace coolspan {

// Whether all runs have the same ordering or scheduler. REQUIRES a run.
bool OneOrdering(const std::vector<RunReport>& reports);
bool OneScheduler(const std::vector<RunReport>& reports);

// The policy of a run, and its ordering and scheduler if they differ between
// the runs: "best-fit", "best-fit/snake/easy".
std::string LabelOf(const RunSpec& run, const std::vector<RunReport>& reports);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_RUN_LABEL_H_
