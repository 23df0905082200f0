// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/monitor/thermal_monitor.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <utility>

#include "service/monitor/learned_room.h"
#include "telemetry/sensor_page.h"

namespace coolspan {
namespace {

using std::chrono::milliseconds;

constexpr int kMaxBadSensors = 100;
// A line is logged when the peak inlet has changed by at least this, or after
// this time.
constexpr double kMinChangeK = 0.05;
constexpr TimeMs kMaxSilenceMs = 600'000;

milliseconds Ms(double seconds) {
  constexpr double kMsPerS = 1000;
  return milliseconds(static_cast<std::int64_t>(seconds * kMsPerS));
}

SensorLimits SensorLimitsOf(const DaemonFile& file) {
  SensorLimits limits;
  if (file.telemetry.has_value()) {
    limits.missing_after_s = file.telemetry->missing_after_s;
    limits.most_deviation_k = file.telemetry->most_deviation_k;
    limits.bias_time_s = file.telemetry->bias_time_s;
    limits.power_settles_s = file.telemetry->power_settles_s;
  }
  return limits;
}

std::vector<SensorMetric> OrDefault(const std::vector<SensorMetric>& given,
                                    std::span<const SensorMetric> defaults) {
  return given.empty()
             ? std::vector<SensorMetric>(defaults.begin(), defaults.end())
             : given;
}

bool IsGood(SensorState state) { return state == SensorState::kGood; }
bool IsBad(SensorState state) {
  return state != SensorState::kGood && state != SensorState::kUnknown;
}

void AddIfBad(const std::string& node, const char* kind, SensorState state,
              double value, v1::RoomStatus& status) {
  if (!IsBad(state) || status.bad_size() == kMaxBadSensors) return;
  v1::SensorStatus& sensor = *status.add_bad();
  sensor.set_node(node);
  sensor.set_kind(kind);
  sensor.set_state(NameOf(state));
  sensor.set_value(value);
}

std::optional<Scraper::Setting> ScrapingOf(const DaemonFile& file) {
  if (!file.telemetry.has_value()) return std::nullopt;
  const DaemonTelemetry& telemetry = *file.telemetry;
  return Scraper::Setting{
      telemetry.scrape.value,
      OrDefault(telemetry.inlet_metrics, DefaultInletMetrics()),
      OrDefault(telemetry.power_metrics, DefaultPowerMetrics()),
      Ms(telemetry.interval_s),
      Ms(telemetry.timeout_s),
      Ms(telemetry.missing_after_s)};
}

}  // namespace

ThermalMonitor::ThermalMonitor(const DaemonSetup& setup,
                               const LiveClusters& clusters, EventLog& log,
                               std::function<TimeMs()> clock)
    : machine_(setup.machine),
      clusters_(clusters),
      log_(log),
      clock_(std::move(clock)),
      scraping_(ScrapingOf(setup.file)),
      loads_(machine_->node_count()),
      steady_(machine_->room()),
      live_(machine_->room(), SensorLimitsOf(setup.file)) {}

StoredLearning ThermalMonitor::Learned(TimeMs saved_ms) const {
  const std::lock_guard lock(mutex_);
  return EncodeLearned(live_.Learned(), *machine_, saved_ms);
}

absl::Status ThermalMonitor::Restore(const StoredLearning& learned,
                                     TimeMs now_ms) {
  const auto room = DecodeLearned(learned, *machine_);
  if (!room.ok()) return room.status();
  constexpr double kMsPerS = 1000;
  const double age_s =
      std::max(0.0, static_cast<double>(now_ms - learned.saved_ms) / kMsPerS);
  const std::lock_guard lock(mutex_);
  live_.Restore(*room, age_s);
  return absl::OkStatus();
}

void ThermalMonitor::Listen() {
  if (!scraping_.has_value()) return;
  scraper_ = std::make_unique<Scraper>(
      machine_, *scraping_,
      [this](const std::vector<SensorReading>& readings) { Read(readings); },
      [this](const std::string& url, const absl::Status& why) {
        LogScrape(url, why);
      });
}

void ThermalMonitor::Reconfigure(const DaemonFile& file) {
  {
    const std::lock_guard lock(mutex_);
    live_.SetLimits(SensorLimitsOf(file));
  }
  StopListening();
  scraping_ = ScrapingOf(file);
  Listen();
}

void ThermalMonitor::Follow(TimeMs now_ms) {
  std::fill(loads_.begin(), loads_.end(), NodeLoad{});
  // The jobs of all leaders heat the same room.
  for (const auto& shown : clusters_.AllShown()) {
    shown.cluster->AddLoads(loads_);
  }
  steady_.Follow(loads_);
  live_.Follow(steady_, now_ms);
}

void ThermalMonitor::Tick() {
  std::shared_ptr<const InletCorrection> correction;
  {
    const std::lock_guard lock(mutex_);
    const TimeMs now_ms = clock_();
    Follow(now_ms);
    correction = live_.correction();
    LogAlarms();
    LogRoom(now_ms);
  }
  for (const auto& cluster : clusters_.All()) cluster->CorrectRoom(correction);
}

void ThermalMonitor::Read(std::span<const SensorReading> readings) {
  const std::lock_guard lock(mutex_);
  live_.Read(readings, clock_());
}

void ThermalMonitor::Take(const v1::Readings& readings,
                          v1::ReportReply& reply) {
  std::vector<SensorReading> known;
  for (const v1::Reading& reading : readings.readings()) {
    const auto node = machine_->FindNode(reading.node());
    if (!node.has_value()) {
      reply.set_unknown_nodes(reply.unknown_nodes() + 1);
      continue;
    }
    known.push_back({.node = *node});
    if (reading.has_inlet_c()) known.back().inlet_c = reading.inlet_c();
    if (reading.has_power_w()) known.back().power_w = reading.power_w();
  }
  Read(known);
  reply.set_taken(reply.taken() + known.size());
}

const std::string& ThermalMonitor::NodeOf(ZoneId zone) const {
  return machine_->NodeName(machine_->room()->NodesOf(zone).front());
}

void ThermalMonitor::LogScrape(const std::string& url,
                               const absl::Status& why) {
  if (why.ok()) {
    log_.Write(spdlog::level::info, "scrape",
               {{"url", url}, {"what", "recovered"}});
  } else {
    log_.Write(spdlog::level::warn, "scrape",
               {{"url", url}, {"why", std::string(why.message())}});
  }
  log_.Flush();
}

void ThermalMonitor::LogAlarms() {
  const std::vector<SensorAlarm> alarms = live_.TakeAlarms();
  for (const SensorAlarm& alarm : alarms) {
    log_.Write(alarm.state == SensorState::kGood ? spdlog::level::info
                                                 : spdlog::level::warn,
               "sensor",
               {{"node", machine_->NodeName(alarm.node)},
                {"kind", alarm.is_power ? "power" : "inlet"},
                {"state", NameOf(alarm.state)},
                {"value", alarm.value},
                {"expected", alarm.expected}});
  }
  if (!alarms.empty()) log_.Flush();
}

// Steady state of the model with the inlet correction, as decisions use it.
Cooling ThermalMonitor::SteadyCooling() const {
  const RoomView model = steady_.view();
  const std::vector<double>& bias_k = live_.correction()->bias_k;
  std::vector<double> inlet_c(model.inlet_c().begin(), model.inlet_c().end());
  std::transform(inlet_c.begin(), inlet_c.end(), bias_k.begin(),
                 inlet_c.begin(), std::plus<>());
  return CoolingOf(*machine_->room(), inlet_c, model.it_w());
}

void ThermalMonitor::LogRoom(TimeMs now_ms) {
  const Room& room = *machine_->room();
  const Cooling steady = SteadyCooling();
  const Cooling now = CoolingOf(room, live_.InletC(), steady_.view().it_w());
  const bool over_redline = steady.peak_inlet_c > room.redline_c();
  if (over_redline != over_redline_) {
    over_redline_ = over_redline;
    log_.Write(over_redline ? spdlog::level::warn : spdlog::level::info,
               "redline",
               {{"predicted", over_redline ? "exceeded" : "kept again"},
                {"node", NodeOf(steady.peak_zone)},
                {"inlet_c", steady.peak_inlet_c},
                {"redline_c", room.redline_c()},
                {"supply_max_c", steady.supply_max_c}});
    log_.Flush();
  }
  if (last_line_.has_value() && now_ms - last_line_->at_ms < kMaxSilenceMs &&
      std::abs(last_line_->peak_inlet_c - now.peak_inlet_c) < kMinChangeK &&
      std::abs(last_line_->steady_peak_inlet_c - steady.peak_inlet_c) <
          kMinChangeK) {
    return;
  }
  last_line_ = LoggedLine{now.peak_inlet_c, steady.peak_inlet_c, now_ms};
  log_.Write(spdlog::level::info, "room",
             {{"at_ms", now_ms},
              {"peak_inlet_c", now.peak_inlet_c},
              {"peak_node", NodeOf(now.peak_zone)},
              {"steady_peak_inlet_c", steady.peak_inlet_c},
              {"steady_peak_node", NodeOf(steady.peak_zone)},
              {"supply_max_c", steady.supply_max_c},
              {"it_w", steady.it_w},
              {"cooling_w", steady.cooling_w}});
  log_.Flush();
}

RoomReading ThermalMonitor::Observe() {
  const std::lock_guard lock(mutex_);
  const TimeMs now_ms = clock_();
  Follow(now_ms);
  const Room& room = *machine_->room();
  const Cooling steady = SteadyCooling();
  RoomReading reading;
  reading.inlet_c = live_.InletC();
  const Cooling now = CoolingOf(room, reading.inlet_c, steady_.view().it_w());
  v1::RoomStatus& status = reading.status;
  status.set_supply_c(room.supply_c());
  status.set_redline_c(room.redline_c());
  status.set_peak_inlet_c(now.peak_inlet_c);
  status.set_peak_node(NodeOf(now.peak_zone));
  status.set_steady_peak_inlet_c(steady.peak_inlet_c);
  status.set_steady_peak_node(NodeOf(steady.peak_zone));
  status.set_supply_max_c(steady.supply_max_c);
  status.set_it_w(steady.it_w);
  status.set_cooling_w(steady.cooling_w);
  status.set_cop_is_sensible(steady.cop_is_sensible);
  status.set_over_redline(steady.peak_inlet_c > room.redline_c());
  for (const auto& cluster : clusters_.All()) {
    const RedlineCounts counts = cluster->redline_counts();
    status.set_decisions_guarded(status.decisions_guarded() + counts.guarded);
    status.set_decisions_over_redline(status.decisions_over_redline() +
                                      counts.over);
  }
  CountSensors(now_ms, reading);
  return reading;
}

void ThermalMonitor::CountSensors(TimeMs now_ms, RoomReading& reading) const {
  v1::RoomStatus& status = reading.status;
  const auto note = [now_ms](SensorState state, TimeMs read_ms,
                             SensorsReading& sensors) {
    ++sensors.by_state[static_cast<std::size_t>(state)];
    if (read_ms == 0) return;
    constexpr double kMsPerS = 1000;
    const double age_s = static_cast<double>(now_ms - read_ms) / kMsPerS;
    sensors.newest_age_s =
        std::min(sensors.newest_age_s.value_or(age_s), age_s);
    sensors.oldest_age_s =
        std::max(sensors.oldest_age_s.value_or(age_s), age_s);
  };
  for (NodeId node = 0; node < machine_->node_count(); ++node) {
    const SensorState inlet = live_.inlet_state(node);
    const SensorState power = live_.power_state(node);
    note(inlet, live_.inlet_read_ms(node), reading.inlets);
    note(power, live_.power_read_ms(node), reading.powers);
    const std::string& name = machine_->NodeName(node);
    AddIfBad(name, "inlet", inlet, live_.last_inlet_c(node), status);
    AddIfBad(name, "power", power, live_.last_power_w(node), status);
  }
  const auto count = [](const SensorsReading& sensors, auto is_counted) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < kSensorStates; ++i) {
      if (is_counted(static_cast<SensorState>(i))) sum += sensors.by_state[i];
    }
    return sum;
  };
  status.set_inlets_good(count(reading.inlets, IsGood));
  status.set_inlets_bad(count(reading.inlets, IsBad));
  status.set_powers_good(count(reading.powers, IsGood));
  status.set_powers_bad(count(reading.powers, IsBad));
}

}  // namespace coolspan
