// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPORT_REPLAY_PAGE_H_
#define COOLSPAN_REPORT_REPLAY_PAGE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "replay/replay.h"
#include "replay/run_report.h"

namespace coolspan {

// The bounds of a report: charts, map and Gantt chart are of the first seed of
// at most this many groups of runs that differ in their seed only.
inline constexpr std::size_t kMaxPicturedRuns = 8;
// Machines with more nodes are shown with the numbers of their nodes only.
inline constexpr std::size_t kMaxNamedNodes = 4096;

// What to record of the runs of a setup for the report, within its bounds.
Recording RecordingForPage(const ReplaySetup& setup);

// What a report shows beside the runs.
struct PageInputs {
  std::string version;
  std::string command_line;
  std::string trace;  // path
  // The JSON document of coolspan replay --json without real times: UTF-8.
  std::string replay_json;
};

// The report as one HTML document without references to other files. REQUIRES
// setup.recording from RecordingForPage. The same setup, reports except for
// real times, and inputs give the same bytes.
std::string ReplayPage(const ReplaySetup& setup,
                       const std::vector<RunReport>& reports,
                       const PageInputs& inputs);

}  // namespace coolspan

#endif  // COOLSPAN_REPORT_REPLAY_PAGE_H_
