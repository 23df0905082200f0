// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_METRICS_CLUSTER_METRICS_H_
#define COOLSPAN_SERVICE_METRICS_CLUSTER_METRICS_H_

#include "coolspan/v1/allocator.pb.h"
#include "service/journal/event_counts.h"
#include "service/metrics/metrics_page.h"

namespace coolspan {

// The metrics of one cluster, labelled with its name.
void AddClusterMetrics(const v1::ClusterStatus& status,
                       const v1::StartCounts& starts,
                       const EventCounts::Counts& events, MetricsPage& page);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_METRICS_CLUSTER_METRICS_H_
