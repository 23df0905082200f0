// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/daemon.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <thread>
#include <utility>

#include "core/counted.h"
#include "etcd/etcd_leadership.h"
#include "service/clusters/decision_config.h"
#include "service/clusters/decision_times.h"
#include "service/clusters/live_clusters.h"
#include "service/http/http_server.h"
#include "service/http/monitoring_pages.h"
#include "service/journal/event_log.h"
#include "service/journal/journal.h"
#include "service/journal/retention_clock.h"
#include "service/journal/watch_hub.h"
#include "service/live/live_pages.h"
#include "service/metrics/daemon_metrics.h"
#include "service/monitor/certificate_watch.h"
#include "service/monitor/followed_news.h"
#include "service/monitor/health.h"
#include "service/monitor/learned_room.h"
#include "service/monitor/reports.h"
#include "service/monitor/self_check.h"
#include "service/monitor/service_manager.h"
#include "service/monitor/thermal_monitor.h"
#include "service/monitor/ticker.h"
#include "service/reloader.h"
#include "service/rpc/allocator_service.h"
#include "service/rpc/drain_switch.h"
#include "service/rpc/report_turns.h"
#include "service/rpc/server.h"
#include "service/rpc/telemetry_service.h"
#include "service/state_files.h"

namespace coolspan {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kStopGrace{2000};
// For the log line about a stop that takes too long.
constexpr milliseconds kLogTime{500};
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

// By which a thing of the state may be as old as any that is stored.
TimeMs LastStoredMs(const StateFiles& files) {
  TimeMs last_ms = files.archive->LastRecorded().value_or(0);
  for (const StoredCluster& cluster : files.clusters) {
    last_ms = std::max(last_ms, cluster.heard_ms);
  }
  return last_ms;
}

// One line for systemctl status.
std::string ServingText(const Machine& machine, const DecisionConfig& config) {
  return fmt::format("serving machine {}, {}; policy {}", machine.name(),
                     Counted(machine.node_count(), "node"),
                     config.default_policy->spec());
}

// nullptr: this is the only daemon.
std::unique_ptr<Leadership> LeadershipOf(const DaemonSetup& setup,
                                         const StateFiles& files,
                                         EventLog& log) {
  if (files.etcd == nullptr) return nullptr;
  ElectionSetting setting;
  const DaemonEtcd& options = setup.file.etcd;
  setting.endpoint = options.advertise.value;
  setting.machine_fingerprint = setup.machine->Fingerprint();
  setting.lease = std::chrono::seconds(options.lease_s);
  setting.log = [&log](bool is_problem, const std::string& state,
                       const std::string& cluster, const std::string& text) {
    EventLog::Fields fields = {{"state", state}};
    if (!cluster.empty()) fields["cluster"] = cluster;
    if (!text.empty()) fields["why"] = text;
    log.Write(is_problem ? spdlog::level::warn : spdlog::level::info, "leader",
              fields);
    log.Flush();
  };
  return MakeEtcdLeadership(*files.etcd, EtcdKeys(options.prefix.value),
                            std::move(setting));
}

// Members are in the order of their dependencies.
class RunningDaemon final : public Daemon {
 public:
  RunningDaemon(const DaemonSetup& setup, StateFiles files,
                std::unique_ptr<EventLog> log)
      : machine_(setup.machine),
        stores_(std::move(files)),
        log_(std::move(log)),
        leadership_(LeadershipOf(setup, stores_, *log_)),
        clock_(LastStoredMs(stores_), WallClockMs),
        journal_(std::make_unique<Journal>(
            setup.machine,
            Stores{*stores_.ledger, stores_.term, *stores_.archive}, *log_,
            watchers_, [this] { return clock_.Now(); },
            setup.file.RetentionMs())),
        health_(*journal_, leadership_.get()),
        config_(std::make_shared<const DecisionConfig>(setup)),
        clusters_({setup.machine, &config_, journal_.get(), &times_,
                   [this] { return clock_.Now(); }, leadership_.get()}),
        monitor_(setup.machine->room() == nullptr
                     ? nullptr
                     : std::make_unique<ThermalMonitor>(setup, clusters_, *log_,
                                                        RoomClock())),
        followed_news_(leadership_ == nullptr
                           ? nullptr
                           : std::make_unique<FollowedNews>(
                                 clusters_, *machine_, watchers_)),
        reloader_(std::make_unique<Reloader>(
            setup, Reloader::Parts{config_, clusters_, *log_, *journal_,
                                   monitor_.get(), WallClockMs,
                                   &service_manager::NotifyReloading,
                                   [this] { NotifyServing(); }})),
        reports_(setup, config_, clusters_, monitor_.get(), *stores_.archive,
                 *journal_, times_,
                 {Version(), started_ms_, &stores_.warnings}),
        drain_(clusters_, *log_, WallClockMs, [this] { NoteDrain(); }),
        certificates_(WatchOf(setup.file.tls, *log_)),
        service_({setup.machine, clusters_, config_, reports_, turns_,
                  watchers_, *reloader_, drain_}),
        telemetry_(setup.machine, monitor_.get()),
        metrics_({setup.machine, config_, Version(), started_ms_, times_,
                  clusters_, *journal_, watchers_, calls_, service_,
                  monitor_.get(), health_, *reloader_}) {
    clusters_.SetExpiry(setup.file.ClusterExpiryMs());
  }
  ~RunningDaemon() override {
    while (!Stop(std::chrono::hours(1)).ok()) continue;
    if (leadership_ != nullptr) leadership_->Stop();
  }

  // Error: DATA_LOSS.
  absl::Status Restore() {
    auto lost = clusters_.Restore(stores_.clusters, *stores_.archive);
    if (!lost.ok()) return lost.status();
    warnings_ = stores_.warnings;
    warnings_.insert(warnings_.end(), lost->begin(), lost->end());
    stores_.clusters.clear();
    if (monitor_ != nullptr) RestoreLearned();
    return absl::OkStatus();
  }

  absl::Status Listen(const DaemonSetup& setup) {
    // Before any call: a reload replaces what this starts.
    if (monitor_ != nullptr) monitor_->Listen();
    if (leadership_ != nullptr) StartElections();
    grpc::Service* const services[] = {&service_, &telemetry_};
    auto server =
        Server::Start(setup.file, setup.access, services, *log_, calls_);
    if (!server.ok()) return server.status();
    server_ = *std::move(server);
    if (setup.file.http.has_value()) {
      if (absl::Status status = ListenForHttp(*setup.file.http); !status.ok()) {
        return status;
      }
    }
    if (monitor_ != nullptr) monitor_->Tick();
    self_check_ = std::make_unique<SelfCheck>(server_->Connect(), clusters_,
                                              config_, health_);
    ticker_ = std::make_unique<Ticker>(kTickInterval, [this] { Tick(); });
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
    for (const std::string& warning : warnings_) {
      log_->Write(spdlog::level::err, "state", {{"why", warning}});
    }
    for (const std::string& warning : setup.warnings) {
      log_->Write(spdlog::level::warn, "config", {{"why", warning}});
    }
    log_->Flush();
    NotifyServing();
    if (const auto time = service_manager::WatchdogTime()) {
      watchdog_ = std::make_unique<Ticker>(*time / 2,
                                           [this, time] { Watch(*time / 4); });
    }
    return absl::OkStatus();
  }

  const std::vector<std::string>& endpoints() const override {
    return server_->endpoints();
  }
  const std::vector<std::string>& warnings() const override {
    return warnings_;
  }

  std::string http_address() const override {
    return http_ == nullptr ? "" : http_->address();
  }

  void RequestReload() override { reloader_->RequestReload(); }

  absl::Status Stop(milliseconds limit) override {
    if (server_ == nullptr) return absl::OkStatus();
    if (!stopping_.valid()) {
      stopping_ = std::async(std::launch::async, [this] { StopAll(); });
    }
    if (stopping_.wait_for(limit) == std::future_status::ready) {
      return absl::OkStatus();
    }
    return StopError();
  }

 private:
  absl::Status ListenForHttp(const DaemonHttp& options) {
    if (options.live) {
      live_ = std::make_unique<LivePages>(LivePages::Sources{
          machine_, service_, reports_, turns_, monitor_.get(), watchers_,
          std::to_string(started_ms_), options.allow_remote});
    }
    auto http = HttpServer::Start(
        options.host, options.port,
        [this](const HttpRequest& request) -> HttpReply {
          auto live = live_ == nullptr ? std::nullopt : live_->Answer(request);
          if (live.has_value()) return *std::move(live);
          return MonitoringPage(request.path, metrics_, health_);
        });
    if (!http.ok()) return http.status();
    http_ = *std::move(http);
    if (live_ != nullptr) live_->SetServer(http_.get());
    return absl::OkStatus();
  }

  void NotifyServing() const {
    service_manager::NotifyReady(drain_.since_ms() != 0
                                     ? "drained: no decisions are made"
                                     : ServingText(*machine_, *config_.Get()));
  }

  void StartElections() {
    leadership_->Start(
        {[this](const std::string& cluster,
                const std::shared_ptr<Tenure>& tenure,
                const std::optional<StoredCluster>& stored) {
           const std::string warning =
               clusters_.BeginTenure(cluster, tenure, stored, *stores_.archive);
           if (warning.empty()) return;
           log_->Write(spdlog::level::err, "state", {{"why", warning}});
         },
         [this](const std::string& cluster) { clusters_.EndTenure(cluster); }});
  }

  static std::unique_ptr<CertificateWatch> WatchOf(
      const std::optional<DaemonTls>& tls, EventLog& log) {
    if (!tls.has_value()) return nullptr;
    return std::make_unique<CertificateWatch>(
        CertificateFiles{tls->cert.value, tls->key.value, tls->client_ca.value},
        log);
  }

  void NoteDrain() {
    health_.SetDrained(drain_.since_ms() != 0);
    if (leadership_ != nullptr) leadership_->Abstain(drain_.since_ms() != 0);
    NotifyServing();
  }

  void Tick() {
    for (const auto& cluster : clusters_.All()) cluster->Tick();
    if (monitor_ != nullptr) TickMonitor();
    journal_->FailOverdue();
    config_.FreeUnused();
    drain_.Tick();
    if (certificates_ != nullptr) certificates_->Tick();
    health_.NoteTick();
    clusters_.RemoveForgotten(clock_.Now());
    if (followed_news_ != nullptr) followed_news_->Tick(clock_.Now());
  }

  void Watch(std::chrono::microseconds time) {
    const absl::Status status = self_check_->Run(time);
    if (status.ok()) {
      service_manager::NotifyAlive();
    } else if (last_check_.ok()) {
      log_->Write(spdlog::level::err, "watchdog",
                  {{"why", std::string(status.message())}});
    }
    last_check_ = status;
  }

  void StopAll() {
    service_manager::NotifyStopping();
    if (stores_.etcd != nullptr) stores_.etcd->Hurry();
    stop_step_ = "the watchdog has not ended";
    watchdog_.reset();
    stop_step_ = "the pages for monitoring have not ended";
    if (live_ != nullptr) live_->SetServer(nullptr);
    http_.reset();
    live_.reset();
    stop_step_ = "calls in progress have not ended";
    service_.StopSearches();
    for (const auto& cluster : clusters_.All()) cluster->Hurry();
    watchers_.Close();
    server_->Stop(kStopGrace);
    // All that was acknowledged is stored; it wins no election from now on.
    if (leadership_ != nullptr) leadership_->Abstain(true);
    stop_step_ = "a background task has not ended";
    ticker_.reset();
    reloader_.reset();
    if (monitor_ != nullptr) {
      monitor_->StopListening();
      journal_->NoteLearned(monitor_->Learned(WallClockMs()));
    }
    stop_step_ = "changes cannot be stored";
    journal_.reset();
    stop_step_ = "the lease has not ended";
    if (leadership_ != nullptr) leadership_->Stop();
    stop_step_ = "the log cannot be written";
    log_->Write(spdlog::level::info, "stop", {{"pid", getpid()}});
    log_->Flush();
  }

  // Logs it too, unless that waits as well.
  absl::Status StopError() {
    const std::string why =
        fmt::format("{} (all changes that were acknowledged are stored)",
                    stop_step_.load());
    const auto logged = std::make_shared<std::promise<void>>();
    std::thread([log = log_.get(), logged, why] {
      log->Write(spdlog::level::err, "stop", {{"why", why}});
      log->Flush();
      logged->set_value();
    }).detach();
    logged->get_future().wait_for(kLogTime);
    return absl::DeadlineExceededError(why);
  }

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

  const std::shared_ptr<const Machine> machine_;
  StateFiles stores_;
  std::vector<std::string> warnings_;  // of the start
  std::unique_ptr<EventLog> log_;
  std::unique_ptr<Leadership> leadership_;  // nullptr: the only daemon
  WatchHub watchers_;
  const TimeMs started_ms_ = WallClockMs();
  DecisionTimes times_;
  CallCounts calls_;
  RetentionClock clock_;
  std::unique_ptr<Journal> journal_;
  Health health_;
  CurrentConfig config_;
  LiveClusters clusters_;
  std::unique_ptr<ThermalMonitor> monitor_;      // nullptr without a room
  std::unique_ptr<FollowedNews> followed_news_;  // nullptr: the only daemon
  std::unique_ptr<Reloader> reloader_;
  Reports reports_;
  ReportTurns turns_;
  DrainSwitch drain_;
  std::unique_ptr<CertificateWatch> certificates_;  // nullptr without TLS
  AllocatorService service_;
  TelemetryService telemetry_;
  DaemonMetrics metrics_;  // used by the thread of http_ only
  std::unique_ptr<Server> server_;
  std::unique_ptr<LivePages> live_;  // nullptr: off
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<SelfCheck> self_check_;
  std::unique_ptr<Ticker> ticker_;
  // Used by the thread of ticker_ only.
  std::chrono::steady_clock::time_point next_learned_ =
      std::chrono::steady_clock::now() + kLearnedInterval;
  absl::Status last_check_;           // used by the watchdog's thread only
  std::unique_ptr<Ticker> watchdog_;  // nullptr: none is asked for
  std::atomic<const char*> stop_step_ = "";
  std::future<void> stopping_;
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
