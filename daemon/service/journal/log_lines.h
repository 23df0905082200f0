// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_LOG_LINES_H_
#define COOLSPAN_SERVICE_JOURNAL_LOG_LINES_H_

#include "core/machine.h"
#include "service/journal/cluster_event.h"
#include "service/journal/event_log.h"

namespace coolspan {

// Writes the log line of an event; a warning if it disputes holdings, or a
// decision is predicted to exceed the redline.
void WriteLogLine(const Machine& machine, const ClusterEvent& cluster_event,
                  EventLog& log);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_LOG_LINES_H_
