// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OUTPUT_SUMMARY_CSV_H_
#define COOLSPAN_REPLAY_OUTPUT_SUMMARY_CSV_H_

#include <string>
#include <vector>

#include "replay/replay.h"

namespace coolspan {

// The metrics of all runs: a header and a line for each run, or with previewed
// policies for each pair of a situation and a decision. REQUIRES a report for
// each run of the setup.
std::string SummaryCsv(const ReplaySetup& setup,
                       const std::vector<RunReport>& reports);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OUTPUT_SUMMARY_CSV_H_
