// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_MONITOR_THERMAL_MONITOR_H_
#define COOLSPAN_SERVICE_MONITOR_THERMAL_MONITOR_H_

#include <array>
#include <cstdint>
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
#include "state/ledger_store.h"
#include "telemetry/scraper.h"
#include "thermal/cooling.h"
#include "thermal/live_room.h"

namespace coolspan {

// What the sensors of one kind read.
struct SensorsReading {
  std::array<std::uint32_t, kSensorStates> by_state{};  // by SensorState
  // Seconds since the last reading of the sensor that was read last, and of the
  // one that was read longest ago; nullopt: no reading yet.
  std::optional<double> newest_age_s;
  std::optional<double> oldest_age_s;
};

// The state of the room at one time.
struct RoomReading {
  v1::RoomStatus status;
  std::vector<double> inlet_c;  // now, by zone
  SensorsReading inlets;
  SensorsReading powers;
};

// Thermal state of the room of the daemon's machine: follows the loads of all
// live clusters, reads sensors, provides the clusters with the inlet
// correction, and logs changes. Thread-safe.
class ThermalMonitor {
 public:
  // REQUIRES a machine with a room. The references must outlive the monitor.
  ThermalMonitor(const DaemonSetup& setup, const LiveClusters& clusters,
                 EventLog& log, std::function<TimeMs()> clock);

  // What the sensors have taught, for a store, saved at the time (since 1970).
  StoredLearning Learned(TimeMs saved_ms) const;
  // Goes on with what was stored, if that is about the same machine and room,
  // now (since 1970). To be called before the others. Error:
  // FAILED_PRECONDITION (another machine or room), DATA_LOSS.
  absl::Status Restore(const StoredLearning& learned, TimeMs now_ms);

  // Starts to read the sensors of the daemon file, if any.
  void Listen();
  void StopListening() { scraper_.reset(); }
  // Applies the telemetry options of a daemon file: limits at once, pages after
  // those being read, for which it waits. REQUIRES that Listen was called, and
  // no other call of this, Listen or StopListening at the time.
  void Reconfigure(const DaemonFile& file);
  // Updates state, correction and log. To be called at least once a second.
  void Tick();
  void Read(std::span<const SensorReading> readings);
  // Readings of a message; adds to the counts of the reply.
  void Take(const v1::Readings& readings, v1::ReportReply& reply);
  // With the current loads.
  RoomReading Observe();
  v1::RoomStatus Status() { return Observe().status; }
  // The first node of a zone.
  const std::string& NodeOf(ZoneId zone) const;

 private:
  // Values of the last "room" line in the log.
  struct LoggedLine {
    double peak_inlet_c = 0;
    double steady_peak_inlet_c = 0;
    TimeMs at_ms = 0;
  };

  void Follow(TimeMs now_ms);
  // REQUIRES mutex_.
  void CountSensors(TimeMs now_ms, RoomReading& reading) const;
  void LogScrape(const std::string& url, const absl::Status& why);
  void LogAlarms();
  void LogRoom(TimeMs now_ms);
  Cooling SteadyCooling() const;

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
  std::optional<LoggedLine> last_line_;
  std::unique_ptr<Scraper> scraper_;  // destroyed first: it calls Read
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_MONITOR_THERMAL_MONITOR_H_
