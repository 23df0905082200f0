// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/metrics/daemon_metrics.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "service/metrics/cluster_metrics.h"
#include "service/metrics/process_metrics.h"

namespace coolspan {
namespace {

double AsNumber(std::uint64_t count) { return static_cast<double>(count); }

double Seconds(std::chrono::duration<double> duration) {
  return duration.count();
}

void AddStore(std::string_view store, std::string_view operation,
              const StoreHealth::Reading& reading, MetricsPage& page) {
  page.Add(Metric::kStoreWritable, {store, operation},
           reading.is_written ? 1 : 0);
  page.Add(Metric::kStoreFailures, {store, operation},
           AsNumber(reading.failures));
  page.Add(Metric::kStoreWriteSeconds, {store, operation}, reading.times);
}

void AddSensors(std::string_view kind, const SensorsReading& sensors,
                MetricsPage& page) {
  // By SensorState, in the words of `coolspan status`.
  constexpr std::string_view kStates[kSensorStates] = {
      "unknown", "good", "missing", "out_of_range", "outlier"};
  for (std::size_t i = 0; i < kSensorStates; ++i) {
    page.Add(Metric::kSensors, {kind, kStates[i]}, sensors.by_state[i]);
  }
  if (!sensors.newest_age_s.has_value()) return;
  page.Add(Metric::kSensorNewestAgeSeconds, {kind}, *sensors.newest_age_s);
  page.Add(Metric::kSensorOldestAgeSeconds, {kind}, *sensors.oldest_age_s);
}

}  // namespace

const std::string& DaemonMetrics::Text() {
  const auto now = std::chrono::steady_clock::now();
  if (!text_.empty() && now - made_ < kMaxAge) return text_;
  MetricsPage page;
  AddDecisions(page);
  AddCalls(page);
  for (const auto& cluster : sources_.clusters.All()) {
    AddCluster(*cluster, page);
  }
  AddStores(page);
  if (sources_.monitor != nullptr) AddRoom(page);
  AddProcess(page);
  text_ = page.Text();
  made_ = now;
  return text_;
}

void DaemonMetrics::AddDecisions(MetricsPage& page) const {
  const std::vector<DecisionTimes::PolicyReading> policies =
      sources_.times.ByPolicy();
  for (const DecisionTimes::PolicyReading& reading : policies) {
    const std::string& policy = reading.policy;
    page.Add(Metric::kDecisionSeconds, {policy}, reading.times);
    page.Add(Metric::kDecisionsStoppedEarly, {policy},
             AsNumber(reading.stopped_early));
    for (const PlacementMode mode :
         {PlacementMode::kAdvise, PlacementMode::kEnforce}) {
      const auto index = static_cast<std::size_t>(mode);
      page.Add(Metric::kDecisions, {policy, NameOf(mode), "placed"},
               AsNumber(reading.placed[index]));
      page.Add(Metric::kDecisions, {policy, NameOf(mode), "not_placed"},
               AsNumber(reading.not_placed[index]));
    }
  }
  for (const auto& [policy, distances] :
       sources_.journal.events().DistancesByPolicy()) {
    page.AddSummary(Metric::kDecisionPairwiseHops, {policy},
                    distances.decisions, distances.hops);
  }
  page.Add(Metric::kDecisionDeadlineSeconds,
           Seconds(sources_.config.Get()->decision_limit));
}

void DaemonMetrics::AddCalls(MetricsPage& page) const {
  for (std::size_t call = 0; call < kCountedCalls; ++call) {
    for (std::size_t code = 0; code < std::size(kCallCodes); ++code) {
      const std::uint64_t count = sources_.calls.Of(call, code);
      // Always OK: a rate needs a first value.
      if (count == 0 && code > 0) continue;
      page.Add(Metric::kCalls, {CountedCallName(call), kCallCodes[code]},
               AsNumber(count));
    }
  }
  page.Add(Metric::kAllocateSeconds, {}, sources_.calls.AllocateTimes());
  page.Add(Metric::kCallsWaiting, {"searches"},
           AsNumber(sources_.service.waiting_searches()));
  page.Add(Metric::kCallsWaiting, {"reports"},
           AsNumber(sources_.service.waiting_reports()));
  page.Add(Metric::kSessions, sources_.service.sessions());
}

void DaemonMetrics::AddCluster(const LiveCluster& cluster,
                               MetricsPage& page) const {
  AddClusterMetrics(cluster.Status(),
                    sources_.journal.starts().Of(cluster.name()),
                    sources_.journal.events().Of(cluster.name()), page);
}

void DaemonMetrics::AddStores(MetricsPage& page) const {
  const LedgerWriter& ledger = sources_.journal.ledger();
  const Archiver& archiver = sources_.journal.archiver();
  AddStore("ledger", "write", ledger.health(), page);
  AddStore("ledger", "sync", ledger.disk_health(), page);
  AddStore("archive", "write", archiver.health(), page);
  page.Add(Metric::kStoreBusySeconds, {"ledger"}, Seconds(ledger.busy_for()));
  page.Add(Metric::kStoreBusySeconds, {"archive"},
           Seconds(archiver.busy_for()));
  page.Add(Metric::kQueueLength, {"ledger"}, AsNumber(ledger.unwritten()));
  page.Add(Metric::kQueueLength, {"archive"}, AsNumber(archiver.unwritten()));
  const WatchHub::Reading watchers = sources_.watchers.Read();
  page.Add(Metric::kQueueLength, {"watcher"}, AsNumber(watchers.longest_queue));
  page.Add(Metric::kQueueLimit, {"ledger"}, AsNumber(Journal::kMaxWaiting));
  page.Add(Metric::kQueueLimit, {"archive"}, AsNumber(Archiver::kMaxUnwritten));
  page.Add(Metric::kQueueLimit, {"watcher"}, AsNumber(Watcher::kMaxWaiting));
  page.Add(Metric::kArchiveDropped, AsNumber(sources_.journal.dropped()));
  page.Add(Metric::kWatchers, AsNumber(watchers.watchers));
  page.Add(Metric::kWatchMessagesDropped, AsNumber(watchers.dropped));
}

void DaemonMetrics::AddRoom(MetricsPage& page) const {
  const RoomReading reading = sources_.monitor->Observe();
  const v1::RoomStatus& room = reading.status;
  page.Add(Metric::kDecisionsGuarded, AsNumber(room.decisions_guarded()));
  page.Add(Metric::kDecisionsOverRedline,
           AsNumber(room.decisions_over_redline()));
  const std::size_t zones = reading.inlet_c.size();
  const std::size_t group = (zones + kMaxZones - 1) / kMaxZones;
  for (std::size_t first = 0; first < zones; first += group) {
    const auto begin = reading.inlet_c.begin() + static_cast<int>(first);
    const auto end = begin + static_cast<int>(std::min(group, zones - first));
    page.Add(Metric::kRoomInletCelsius,
             {sources_.monitor->NodeOf(static_cast<ZoneId>(first))},
             *std::max_element(begin, end));
  }
  page.Add(Metric::kRoomPeakInletCelsius, room.peak_inlet_c());
  page.Add(Metric::kRoomSteadyPeakInletCelsius, room.steady_peak_inlet_c());
  page.Add(Metric::kRoomRedlineCelsius, room.redline_c());
  page.Add(Metric::kRoomSupplyCelsius, room.supply_c());
  page.Add(Metric::kRoomSupplyMaxCelsius, room.supply_max_c());
  page.Add(Metric::kRoomItWatts, room.it_w());
  if (room.cop_is_sensible()) {
    page.Add(Metric::kRoomCoolingWatts, room.cooling_w());
  }
  page.Add(Metric::kRoomCopValid, room.cop_is_sensible() ? 1 : 0);
  AddSensors("inlet", reading.inlets, page);
  AddSensors("power", reading.powers, page);
}

void DaemonMetrics::AddProcess(MetricsPage& page) const {
  constexpr double kMsPerS = 1000;
  page.Add(Metric::kReady, sources_.health.Ready().ok() ? 1 : 0);
  page.Add(Metric::kDrained, sources_.health.is_drained() ? 1 : 0);
  const v1::ConfigStatus config = sources_.reloader.Status();
  page.Add(Metric::kConfigLastReloadSuccessful, config.error().empty() ? 1 : 0);
  page.Add(Metric::kConfigLastReloadSuccessTimestampSeconds,
           static_cast<double>(config.loaded_ms()) / kMsPerS);
  page.Add(Metric::kBuildInfo,
           {sources_.version, sources_.machine->name(),
            std::string(sources_.config.Get()->default_policy->spec())},
           1);
  page.Add(Metric::kProcessStartTimeSeconds,
           static_cast<double>(sources_.started_ms) / kMsPerS);
  AddProcessMetrics(page);
}

}  // namespace coolspan
