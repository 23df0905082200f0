// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/http/monitoring_pages.h"

#include <fmt/format.h>

#include "formats/file_error.h"
#include "service/http/http_status.h"

namespace coolspan {
namespace {

HttpAnswer PageOf(const absl::Status& status) {
  if (status.ok()) return {.body = "ok\n"};
  return {.status = kHttpUnavailable,
          .body = fmt::format("{}\n", MessageOf(status))};
}

}  // namespace

HttpAnswer MonitoringPage(std::string_view path, DaemonMetrics& metrics,
                          const Health& health) {
  if (path == "/metrics") {
    return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
            .body = metrics.Text()};
  }
  if (path == "/healthz") return PageOf(health.Alive());
  if (path == "/readyz") return PageOf(health.Ready());
  return {.status = kHttpNotFound,
          .body = "not found (expected /metrics, /healthz or /readyz)\n"};
}

}  // namespace coolspan
