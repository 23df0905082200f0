// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_MONITOR_THERMAL_MONITOR_H_
#define COOLSPAN_SERVICE_MONITOR_THERMAL_MONITOR_H_

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "coolspan/v1/allocator.pb.h"
#include "coolspan/v1/telemetry.pb.h"
#include "core/room_state.h"
#include "service/clusters/live_clusters.h"
#include "service/journal/event_log.h"
#include "setup/daemon_setup.h"
#include "telemetry/scraper.h"
#include "thermal/cooling.h"
#include "thermal/live_room.h"

namespace coolspan {

// The room of the daemon's machine: follows what all live clusters hold,
// listens to sensors, teaches the clusters' decisions, tells the log.
// Thread-safe.
class ThermalMonitor {
 public:
  // REQUIRES a machine with a room; all outlive the keeper.
  ThermalMonitor(const DaemonSetup& setup, const LiveClusters& clusters,
                 EventLog& log, std::function<TimeMs()> clock);

  // Begins to read the sensors that the daemon file names, if any.
  void Listen();
  void StopListening() { scraper_.reset(); }
  // Once a second or so.
  void Tick();
  void Read(std::span<const SensorReading> readings);
  // The same from the wire; adds to the reply's counts.
  void Take(const v1::Readings& readings, v1::ReportReply& reply);
  // With all that holds nodes now.
  v1::RoomStatus Status();

 private:
  // What a line of the log says; one is written when it has changed.
  struct Line {
    double peak_inlet_c = 0;
    double steady_peak_inlet_c = 0;
    TimeMs at_ms = 0;
  };

  void Follow(TimeMs now_ms);
  const std::string& NodeOf(ZoneId zone) const;
  void ReportNews(const std::string& url, const absl::Status& why);
  void ReportAlarms();
  void ReportRoom(TimeMs now_ms);
  Cooling Steady() const;

  const std::shared_ptr<const Machine> machine_;
  const LiveClusters& clusters_;
  EventLog& log_;
  const std::function<TimeMs()> clock_;
  std::optional<Scraper::Setting> scraping_;
  mutable std::mutex mutex_;
  std::vector<NodeLoad> loads_;  // by NodeId
  RoomState steady_;
  LiveRoom live_;
  bool over_redline_ = false;
  std::optional<Line> last_line_;
  std::unique_ptr<Scraper> scraper_;  // ends first: it calls Read
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_MONITOR_THERMAL_MONITOR_H_
