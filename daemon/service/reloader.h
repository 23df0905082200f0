// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RELOADER_H_
#define COOLSPAN_SERVICE_RELOADER_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "absl/status/statusor.h"
#include "coolspan/v1/allocator.pb.h"
#include "core/types.h"
#include "service/clusters/decision_config.h"
#include "service/clusters/live_clusters.h"
#include "service/journal/event_log.h"
#include "service/journal/journal.h"
#include "service/monitor/thermal_monitor.h"
#include "setup/daemon_setup.h"

namespace coolspan {

// Applies the daemon file again, to a running daemon. Thread-safe.
class Reloader {
 public:
  // Must outlive the reloader.
  struct Parts {
    CurrentConfig& config;
    LiveClusters& clusters;
    EventLog& log;
    Journal& journal;
    ThermalMonitor* monitor;  // nullptr without a room
    std::function<TimeMs()> wall_clock_ms;
    // Called when a reload begins and when it has ended; may be nullptr.
    std::function<void()> on_begin;
    std::function<void()> on_end;
  };
  // running: what the daemon was started with.
  Reloader(DaemonSetup running, Parts parts);
  // Waits for a reload in progress.
  ~Reloader();
  Reloader(const Reloader&) = delete;
  Reloader& operator=(const Reloader&) = delete;

  // Reads the daemon file and the files named there, and makes what they name,
  // on the caller's thread; then applies all of it, or after an error nothing.
  // Also opens the log file again. Waits for another reload in progress.
  // Errors: ReloadDaemonFile's; INVALID_ARGUMENT (the log file cannot be
  // opened).
  absl::StatusOr<v1::ReloadReply> Reload();
  // The same on a thread of the reloader; the log has the result. Does not
  // wait.
  void RequestReload();
  v1::ConfigStatus Status() const;

 private:
  absl::StatusOr<v1::ReloadReply> TryReload();
  void Run();

  const Parts parts_;
  std::mutex reloading_;
  DaemonSetup running_;  // guarded by reloading_
  mutable std::mutex status_mutex_;
  v1::ConfigStatus status_;
  std::mutex requests_mutex_;
  std::condition_variable requested_;
  bool is_requested_ = false;
  bool is_stopping_ = false;
  std::thread thread_;  // last: uses the members above
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RELOADER_H_
