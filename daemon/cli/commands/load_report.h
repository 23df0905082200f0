// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_LOAD_REPORT_H_
#define COOLSPAN_CLI_COMMANDS_LOAD_REPORT_H_

#include <ostream>

#include "cli/commands/load_run.h"
#include "cli/render/json.h"

namespace coolspan {

// The output of coolspan load. Sorts the times.
Json LoadJson(const LoadPlan& plan, LoadResult& result);
void PrintLoad(const LoadPlan& plan, LoadResult& result, std::ostream& out);

// Whether all checks passed and all jobs were placed.
bool HasPassed(const LoadResult& result);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_LOAD_REPORT_H_
