// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OUTPUT_SERIES_CSV_H_
#define COOLSPAN_REPLAY_OUTPUT_SERIES_CSV_H_

#include <vector>

#include "absl/status/status.h"
#include "core/machine.h"
#include "replay/output/replaced_file.h"
#include "replay/run_report.h"

namespace coolspan {

// Writes the time series of all runs as CSV: a line with the names of the
// columns, then a line for each sample, run by run. Columns that do not apply
// to the machine and the run time model are left out. The content depends only
// on the trace, the machine and the options; docs/man/coolspan-replay.1
// describes it. REQUIRES series with shapes. Errors: the file's.
absl::Status WriteSeries(const Machine& machine,
                         const std::vector<RunReport>& reports,
                         ReplacedFile& file);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OUTPUT_SERIES_CSV_H_
