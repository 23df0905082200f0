// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/daemon.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "service/clusters/decision_times.h"
#include "service/clusters/live_clusters.h"
#include "service/clusters/policy_cache.h"
#include "service/clusters/policy_rules.h"
#include "service/http/http_server.h"
#include "service/http/monitoring_pages.h"
#include "service/journal/event_log.h"
#include "service/journal/journal.h"
#include "service/journal/retention_clock.h"
#include "service/journal/watch_hub.h"
#include "service/metrics/daemon_metrics.h"
#include "service/monitor/health.h"
#include "service/monitor/learned_room.h"
#include "service/monitor/reports.h"
#include "service/monitor/thermal_monitor.h"
#include "service/rpc/allocator_service.h"
#include "service/rpc/server.h"
#include "service/rpc/telemetry_service.h"
#include "service/state_files.h"

namespace coolspan {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kStopGrace{2000};
constexpr milliseconds kTickInterval{250};
// At which what was learned of the room is stored.
constexpr std::chrono::seconds kLearnedInterval{60};

TimeMs WallClockMs() {
  return std::chrono::duration_cast<milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Wall time at construction plus steady time since then: setting the system
// clock must not change inlets, nor make sensors count as missing.
class RoomClock {
 public:
  TimeMs operator()() const {
    return started_ms_ + std::chrono::duration_cast<milliseconds>(
                             std::chrono::steady_clock::now() - started_)
                             .count();
  }

 private:
  TimeMs started_ms_ = WallClockMs();
  std::chrono::steady_clock::time_point started_ =
      std::chrono::steady_clock::now();
};

TimeMs InMs(double days) {
  return static_cast<TimeMs>(days * 24 * 3600 * 1000);
}

// The policy of the redline guard; nullptr without a room.
std::shared_ptr<const Policy> RedlineFallbackOf(const DaemonSetup& setup) {
  if (setup.machine->room() == nullptr) return nullptr;
  auto fallback =
      MakePolicy("mpit", setup.machine, {setup.ordering, setup.file.span});
  return fallback.ok() ? *std::move(fallback) : nullptr;
}

// By which a thing of the state may be as old as any that is stored.
TimeMs LastStoredMs(const StateFiles& files) {
  TimeMs last_ms = files.archive->LastRecorded().value_or(0);
  for (const StoredCluster& cluster : files.clusters) {
    last_ms = std::max(last_ms, cluster.heard_ms);
  }
  return last_ms;
}

// Calls a function every kTickInterval, until destroyed.
class Ticker {
 public:
  explicit Ticker(std::function<void()> tick)
      : tick_(std::move(tick)), thread_([this] { Run(); }) {}
  ~Ticker() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void Run() {
    std::unique_lock lock(mutex_);
    while (
        !changed_.wait_for(lock, kTickInterval, [this] { return stopping_; })) {
      tick_();
    }
  }

  const std::function<void()> tick_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

// Members are in the order of their dependencies.
class RunningDaemon final : public Daemon {
 public:
  RunningDaemon(const DaemonSetup& setup, StateFiles files,
                std::unique_ptr<EventLog> log)
      : stores_(std::move(files)),
        log_(std::move(log)),
        clock_(LastStoredMs(stores_), WallClockMs),
        journal_(std::make_unique<Journal>(
            setup.machine,
            Stores{*stores_.ledger, stores_.term, *stores_.archive}, *log_,
            watchers_, [this] { return clock_.Now(); },
            InMs(setup.file.retention_days))),
        cluster_expiry_ms_(InMs(setup.file.cluster_expiry_days)),
        health_(*journal_),
        policies_(setup),
        rules_(setup),
        clusters_({setup.machine, &rules_, journal_.get(), &times_,
                   RedlineFallbackOf(setup), [this] { return clock_.Now(); }}),
        monitor_(setup.machine->room() == nullptr
                     ? nullptr
                     : std::make_unique<ThermalMonitor>(setup, clusters_, *log_,
                                                        RoomClock())),
        reports_(setup, clusters_, monitor_.get(), *stores_.archive, *journal_,
                 times_, {Version(), started_ms_, &stores_.warnings}),
        service_({setup.machine, clusters_, policies_, rules_, reports_,
                  watchers_, milliseconds(setup.file.deadline_ms)}),
        telemetry_(setup.machine, monitor_.get()),
        metrics_({setup.machine, std::string(setup.policy->spec()), Version(),
                  started_ms_, milliseconds(setup.file.deadline_ms), times_,
                  clusters_, *journal_, watchers_, calls_, service_,
                  monitor_.get(), health_}) {}
  ~RunningDaemon() override { Stop(); }

  // Error: DATA_LOSS.
  absl::Status Restore() {
    auto lost = clusters_.Restore(stores_.clusters, *stores_.archive);
    if (!lost.ok()) return lost.status();
    for (std::string& warning : *lost) {
      stores_.warnings.push_back(std::move(warning));
    }
    stores_.clusters.clear();
    if (monitor_ != nullptr) RestoreLearned();
    return absl::OkStatus();
  }

  absl::Status Listen(const DaemonSetup& setup) {
    grpc::Service* const services[] = {&service_, &telemetry_};
    auto server =
        Server::Start(setup.file, setup.access, services, *log_, calls_);
    if (!server.ok()) return server.status();
    server_ = *std::move(server);
    if (setup.file.http.has_value()) {
      auto http =
          HttpServer::Start(setup.file.http->host, setup.file.http->port,
                            [this](std::string_view path) {
                              return MonitoringPage(path, metrics_, health_);
                            });
      if (!http.ok()) return http.status();
      http_ = *std::move(http);
    }
    if (monitor_ != nullptr) {
      monitor_->Tick();
      monitor_->Listen();
    }
    ticker_ = std::make_unique<Ticker>([this] { Tick(); });
    log_->Write(spdlog::level::info, "start",
                {{"version", Version()},
                 {"pid", getpid()},
                 {"machine", setup.machine->name()},
                 {"nodes", setup.machine->node_count()},
                 {"policy", setup.policy->spec()},
                 {"ordering", setup.ordering->name()},
                 {"rules", setup.rules.size()},
                 {"listen", server_->endpoints()},
                 {"http", http_address()}});
    for (const std::string& warning : stores_.warnings) {
      log_->Write(spdlog::level::err, "state", {{"why", warning}});
    }
    for (const std::string& warning : setup.warnings) {
      log_->Write(spdlog::level::warn, "config", {{"why", warning}});
    }
    log_->Flush();
    return absl::OkStatus();
  }

  const std::vector<std::string>& endpoints() const override {
    return server_->endpoints();
  }
  const std::vector<std::string>& warnings() const override {
    return stores_.warnings;
  }

  std::string http_address() const override {
    return http_ == nullptr ? "" : http_->address();
  }

  void ReopenLog() override {
    const absl::Status status = log_->Reopen();
    if (!status.ok()) {
      log_->Write(spdlog::level::err, "log",
                  {{"why", std::string(status.message())}});
    }
  }

  void Stop() override {
    if (server_ == nullptr || stopped_) return;
    stopped_ = true;
    http_.reset();
    watchers_.Close();
    server_->Stop(kStopGrace);
    ticker_.reset();
    if (monitor_ != nullptr) {
      monitor_->StopListening();
      journal_->NoteLearned(monitor_->Learned(WallClockMs()));
    }
    journal_.reset();
    log_->Write(spdlog::level::info, "stop", {{"pid", getpid()}});
    log_->Flush();
  }

 private:
  void RestoreLearned() {
    const auto stored = stores_.ledger->LoadLearned();
    absl::Status status = stored.status();
    if (stored.ok()) {
      for (const StoredLearning& learned : *stored) {
        if (learned.name != kLearnedRoom) continue;
        status = monitor_->Restore(learned, WallClockMs());
      }
    }
    if (status.ok()) return;
    log_->Write(spdlog::level::warn, "learned",
                {{"what", "correction of inlets starts at 0"},
                 {"why", std::string(status.message())}});
  }

  void TickMonitor() {
    monitor_->Tick();
    const auto now = std::chrono::steady_clock::now();
    if (now < next_learned_) return;
    next_learned_ = now + kLearnedInterval;
    journal_->NoteLearned(monitor_->Learned(WallClockMs()));
  }

  void Tick() {
    for (const auto& cluster : clusters_.All()) cluster->Tick();
    if (monitor_ != nullptr) TickMonitor();
    journal_->FailOverdue();
    health_.NoteTick();
    if (cluster_expiry_ms_ > 0) {
      clusters_.RemoveForgotten(clock_.Now() - cluster_expiry_ms_);
    }
  }

  StateFiles stores_;
  std::unique_ptr<EventLog> log_;
  WatchHub watchers_;
  const TimeMs started_ms_ = WallClockMs();
  DecisionTimes times_;
  CallCounts calls_;
  RetentionClock clock_;
  std::unique_ptr<Journal> journal_;
  const TimeMs cluster_expiry_ms_;  // 0: never
  Health health_;
  PolicyCache policies_;
  PolicyRules rules_;
  LiveClusters clusters_;
  std::unique_ptr<ThermalMonitor> monitor_;  // nullptr without a room
  Reports reports_;
  AllocatorService service_;
  TelemetryService telemetry_;
  DaemonMetrics metrics_;  // used by the thread of http_ only
  std::unique_ptr<Server> server_;
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<Ticker> ticker_;
  std::chrono::steady_clock::time_point next_learned_ =
      std::chrono::steady_clock::now() + kLearnedInterval;
  bool stopped_ = false;
};

// A ledger with clusters that cannot be restored is set aside, too.
absl::StatusOr<std::unique_ptr<RunningDaemon>> Restored(
    const DaemonSetup& setup) {
  std::vector<std::string> warnings;
  while (true) {
    auto log = EventLog::Open(setup.file.log);
    if (!log.ok()) return log.status();
    auto files = OpenStateFiles(setup.file);
    if (!files.ok()) return files.status();
    files->warnings.insert(files->warnings.begin(), warnings.begin(),
                           warnings.end());
    auto daemon = std::make_unique<RunningDaemon>(setup, *std::move(files),
                                                  *std::move(log));
    const absl::Status status = daemon->Restore();
    if (status.ok()) return daemon;
    if (!warnings.empty()) return status;
    daemon.reset();
    auto warning = SetLedgerAside(setup.file, status);
    if (!warning.ok()) return warning.status();
    warnings.push_back(*std::move(warning));
  }
}

}  // namespace

const char* Version() { return COOLSPAN_VERSION; }

absl::StatusOr<std::unique_ptr<Daemon>> Daemon::Start(
    const DaemonSetup& setup) {
  auto daemon = Restored(setup);
  if (!daemon.ok()) return daemon.status();
  if (absl::Status status = (*daemon)->Listen(setup); !status.ok()) {
    return status;
  }
  return std::unique_ptr<Daemon>(*std::move(daemon));
}

}  // namespace coolspan
