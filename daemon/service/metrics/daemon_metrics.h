// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_METRICS_DAEMON_METRICS_H_
#define COOLSPAN_SERVICE_METRICS_DAEMON_METRICS_H_

#include <chrono>
#include <memory>
#include <string>

#include "core/machine.h"
#include "service/clusters/decision_times.h"
#include "service/clusters/live_clusters.h"
#include "service/journal/journal.h"
#include "service/journal/watch_hub.h"
#include "service/metrics/metrics_page.h"
#include "service/monitor/health.h"
#include "service/monitor/thermal_monitor.h"
#include "service/reloader.h"
#include "service/rpc/allocator_service.h"
#include "service/rpc/call_counts.h"

namespace coolspan {

// The metrics page of the daemon. All values are read from the objects that
// count, which `coolspan status` reads too. Bounded: 64 clusters with 32
// reasons each for two verdicts, 64 policies, 256 zones. Not thread-safe.
class DaemonMetrics {
 public:
  // Must outlive the object.
  struct Sources {
    std::shared_ptr<const Machine> machine;
    const CurrentConfig& config;
    std::string version;
    TimeMs started_ms = 0;  // since 1970
    const DecisionTimes& times;
    const LiveClusters& clusters;
    const Journal& journal;
    const WatchHub& watchers;
    const CallCounts& calls;
    const AllocatorService& service;
    ThermalMonitor* monitor;  // nullptr without a room
    const Health& health;
    const Reloader& reloader;
  };
  explicit DaemonMetrics(Sources sources) : sources_(std::move(sources)) {}

  // The page, at most kMaxAge old: a flood of requests must not take the locks
  // of decisions more often.
  const std::string& Text();

 private:
  static constexpr std::chrono::seconds kMaxAge{1};
  static constexpr std::size_t kMaxZones = 256;

  void AddDecisions(MetricsPage& page) const;
  void AddCalls(MetricsPage& page) const;
  void AddCluster(const LiveCluster& cluster, MetricsPage& page) const;
  void AddStores(MetricsPage& page) const;
  void AddRoom(MetricsPage& page) const;
  void AddProcess(MetricsPage& page) const;

  const Sources sources_;
  std::string text_;
  std::chrono::steady_clock::time_point made_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_METRICS_DAEMON_METRICS_H_
