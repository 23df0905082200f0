// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_REPLAY_JSON_H_
#define COOLSPAN_CLI_COMMANDS_REPLAY_JSON_H_

#include <vector>

#include "cli/render/json.h"
#include "replay/input/workload.h"
#include "replay/replay.h"

namespace coolspan {

// Whether a document has the values that differ between equal replays: wall_s,
// peak_rss_mb, decision_us_*, replay_jobs_per_s.
enum class RealTimes { kIncluded, kLeftOut };

// The result of coolspan replay --json, as documented in
// docs/man/coolspan-replay.1. REQUIRES as many reports as the setup has runs.
Json ReplayJson(const ReplaySetup& setup, const TraceCounts& counts,
                const std::vector<RunReport>& reports, RealTimes real_times);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_REPLAY_JSON_H_
