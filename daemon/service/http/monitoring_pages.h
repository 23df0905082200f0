// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_HTTP_MONITORING_PAGES_H_
#define COOLSPAN_SERVICE_HTTP_MONITORING_PAGES_H_

#include <string_view>

#include "service/http/http_server.h"
#include "service/metrics/daemon_metrics.h"
#include "service/monitor/health.h"

namespace coolspan {

// The pages /metrics (exposition format of Prometheus), /healthz (200 while the
// process works) and /readyz (200 while decisions can be answered); the latter
// answer 503 with the reason. Not thread-safe.
HttpAnswer MonitoringPage(std::string_view path, DaemonMetrics& metrics,
                          const Health& health);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_HTTP_MONITORING_PAGES_H_
