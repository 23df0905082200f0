// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPORT_PAGE_DATA_H_
#define COOLSPAN_REPORT_PAGE_DATA_H_

#include <nlohmann/json.hpp>
#include <vector>

#include "core/machine.h"
#include "replay/run_report.h"

namespace coolspan {

// The data that the charts of a report draw, as the scripts of the page read
// them. Temperatures are rounded to 0.01 C, power to 1 W, times to 1 s; a
// number that JSON cannot express is null.

// Names, coordinates and zones of the nodes.
nlohmann::ordered_json MachineData(const Machine& machine);
// The series, percentiles of waits and picture of a run. REQUIRES series with
// shapes and a picture.
nlohmann::ordered_json RunData(const Machine& machine, const RunReport& report);

}  // namespace coolspan

#endif  // COOLSPAN_REPORT_PAGE_DATA_H_
