// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_METRICS_PROCESS_METRICS_H_
#define COOLSPAN_SERVICE_METRICS_PROCESS_METRICS_H_

#include <cstdint>

#include "service/metrics/metrics_page.h"

namespace coolspan {

// Resident set size of this process, in bytes.
std::uint64_t ResidentBytes();

// The process_ metrics but the start time, from /proc/self (proc(5)).
void AddProcessMetrics(MetricsPage& page);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_METRICS_PROCESS_METRICS_H_
