// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/daemon.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
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
#include "service/journal/watch_hub.h"
#include "service/metrics/daemon_metrics.h"
#include "service/monitor/health.h"
#include "service/monitor/reports.h"
#include "service/monitor/thermal_monitor.h"
#include "service/rpc/allocator_service.h"
#include "service/rpc/server.h"
#include "service/rpc/telemetry_service.h"
#include "state/sqlite_archive.h"
#include "state/sqlite_ledger.h"

namespace coolspan {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kStopGrace{2000};
constexpr milliseconds kTickInterval{250};

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

TimeMs RetentionMs(double days) {
  return static_cast<TimeMs>(days * 24 * 3600 * 1000);
}

// The policy of the redline guard; nullptr without a room.
std::shared_ptr<const Policy> RedlineFallbackOf(const DaemonSetup& setup) {
  if (setup.machine->room() == nullptr) return nullptr;
  auto fallback =
      MakePolicy("mpit", setup.machine, {setup.ordering, setup.file.span});
  return fallback.ok() ? *std::move(fallback) : nullptr;
}

struct OwnedStores {
  std::unique_ptr<DecisionArchive> archive;
  std::unique_ptr<LedgerStore> ledger;
  std::uint64_t term = 0;
};

absl::StatusOr<OwnedStores> OpenStores(const DaemonFile& file) {
  OwnedStores stores;
  auto archive = OpenSqliteArchive(file.archive.value);
  if (!archive.ok()) return archive.status();
  stores.archive = *std::move(archive);
  auto ledger = OpenSqliteLedger(file.sqlite.value, file.archive.value);
  if (!ledger.ok()) return ledger.status();
  stores.ledger = *std::move(ledger);
  auto term = stores.ledger->BeginTerm();
  if (!term.ok()) return term.status();
  stores.term = *term;
  return stores;
}

// Calls Tick of the live clusters and of the monitor, if any, and FailOverdue
// of the journal, until destroyed.
class Ticker {
 public:
  Ticker(const LiveClusters& clusters, ThermalMonitor* monitor,
         Journal& journal, Health& health)
      : thread_([this, &clusters, monitor, &journal, &health] {
          Run(clusters, monitor, journal, health);
        }) {}
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
  void Run(const LiveClusters& clusters, ThermalMonitor* monitor,
           Journal& journal, Health& health) {
    std::unique_lock lock(mutex_);
    while (
        !changed_.wait_for(lock, kTickInterval, [this] { return stopping_; })) {
      for (const auto& cluster : clusters.All()) cluster->Tick();
      if (monitor != nullptr) monitor->Tick();
      journal.FailOverdue();
      health.NoteTick();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

// Members are in the order of their dependencies.
class RunningDaemon final : public Daemon {
 public:
  RunningDaemon(const DaemonSetup& setup, OwnedStores stores,
                std::unique_ptr<EventLog> log)
      : stores_(std::move(stores)),
        log_(std::move(log)),
        journal_(std::make_unique<Journal>(
            setup.machine,
            Stores{*stores_.ledger, stores_.term, *stores_.archive}, *log_,
            watchers_, WallClockMs, RetentionMs(setup.file.retention_days))),
        health_(*journal_),
        policies_(setup),
        rules_(setup),
        clusters_({setup.machine, &rules_, journal_.get(), &times_,
                   RedlineFallbackOf(setup)}),
        monitor_(setup.machine->room() == nullptr
                     ? nullptr
                     : std::make_unique<ThermalMonitor>(setup, clusters_, *log_,
                                                        RoomClock())),
        reports_(setup, clusters_, monitor_.get(), *stores_.archive, *journal_,
                 times_, {Version(), started_ms_}),
        service_({setup.machine, clusters_, policies_, rules_, reports_,
                  watchers_, milliseconds(setup.file.deadline_ms)}),
        telemetry_(setup.machine, monitor_.get()),
        metrics_({setup.machine, std::string(setup.policy->spec()), Version(),
                  started_ms_, milliseconds(setup.file.deadline_ms), times_,
                  clusters_, *journal_, watchers_, calls_, service_,
                  monitor_.get(), health_}) {}
  ~RunningDaemon() override { Stop(); }

  absl::Status Restore(const std::string& path) {
    auto stored = stores_.ledger->Load();
    if (!stored.ok()) return stored.status();
    absl::Status status = clusters_.Restore(*stored, *stores_.archive);
    if (status.ok()) return status;
    return absl::Status(
        status.code(),
        fmt::format("{}: {} (expected a valid state file; restore a backup, or "
                    "move it away to start with an empty one)",
                    path, std::string(status.message())));
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
    ticker_ =
        std::make_unique<Ticker>(clusters_, monitor_.get(), *journal_, health_);
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
    for (const std::string& warning : setup.warnings) {
      log_->Write(spdlog::level::warn, "config", {{"why", warning}});
    }
    log_->Flush();
    return absl::OkStatus();
  }

  const std::vector<std::string>& endpoints() const override {
    return server_->endpoints();
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
    if (monitor_ != nullptr) monitor_->StopListening();
    journal_.reset();
    log_->Write(spdlog::level::info, "stop", {{"pid", getpid()}});
    log_->Flush();
  }

 private:
  OwnedStores stores_;
  std::unique_ptr<EventLog> log_;
  WatchHub watchers_;
  const TimeMs started_ms_ = WallClockMs();
  DecisionTimes times_;
  CallCounts calls_;
  std::unique_ptr<Journal> journal_;
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
  bool stopped_ = false;
};

}  // namespace

const char* Version() { return COOLSPAN_VERSION; }

absl::StatusOr<std::unique_ptr<Daemon>> Daemon::Start(
    const DaemonSetup& setup) {
  auto log = EventLog::Open(setup.file.log);
  if (!log.ok()) return log.status();
  auto stores = OpenStores(setup.file);
  if (!stores.ok()) return stores.status();
  auto daemon = std::make_unique<RunningDaemon>(setup, *std::move(stores),
                                                *std::move(log));
  if (absl::Status status = daemon->Restore(setup.file.sqlite.value);
      !status.ok())
    return status;
  if (absl::Status status = daemon->Listen(setup); !status.ok()) return status;
  return std::unique_ptr<Daemon>(std::move(daemon));
}

}  // namespace coolspan
