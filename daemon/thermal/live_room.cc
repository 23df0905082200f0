// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/live_room.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace coolspan {
namespace {

constexpr double kMsPerS = 1000;
// Hysteresis: a deviant sensor is good again within this share of the limit.
constexpr double kReturnShare = 0.8;
constexpr double kMinCorrectionChangeK = 0.01;

}  // namespace

const char* NameOf(SensorState state) {
  switch (state) {
    case SensorState::kUnknown:
      return "unknown";
    case SensorState::kGood:
      return "good";
    case SensorState::kMissing:
      return "missing";
    case SensorState::kAbsurd:
      return "absurd";
    case SensorState::kDeviant:
      return "deviant";
  }
  return "unknown";
}

LiveRoom::LiveRoom(std::shared_ptr<const Room> room, SensorLimits limits)
    : room_(std::move(room)),
      limits_(limits),
      steady_c_(room_->zone_count(), room_->supply_c()),
      lagged_c_(steady_c_),
      excess_w_(room_->zone_count(), 0.0),
      excess_rise_k_(room_->zone_count(), 0.0),
      bias_k_(room_->zone_count(), 0.0),
      power_w_(room_->node_count(), 0.0),
      power_since_ms_(room_->node_count(), 0),
      inlets_(room_->node_count()),
      powers_(room_->node_count()),
      correction_(std::make_shared<InletCorrection>(
          InletCorrection{0, std::vector<double>(room_->zone_count(), 0.0)})) {}

LearnedRoom LiveRoom::Learned() const {
  LearnedRoom learned{bias_k_, excess_w_, lagged_c_};
  std::transform(lagged_c_.begin(), lagged_c_.end(), steady_c_.begin(),
                 learned.lag_k.begin(), std::minus<>());
  return learned;
}

void LiveRoom::Restore(const LearnedRoom& learned, double age_s) {
  const auto decayed = [age_s](std::vector<double> values, double time_s) {
    for (double& value : values) value *= std::exp(-age_s / time_s);
    return values;
  };
  bias_k_ = decayed(learned.bias_k, limits_.bias_time_s);
  restored_lag_k_ = decayed(learned.lag_k, room_->time_constant_s());
  if (age_s < limits_.missing_after_s) carried_excess_w_ = learned.excess_w;
}

void LiveRoom::Follow(const RoomState& steady, TimeMs now_ms) {
  AdvanceTo(now_ms);
  const bool is_restored = !following_ && !restored_lag_k_.empty();
  bool changed = is_restored;
  if (is_restored && !carried_excess_w_.empty()) {
    carried_until_ms_ =
        now_ms_ + static_cast<TimeMs>(limits_.missing_after_s * kMsPerS);
  }
  for (NodeId node = 0; node < power_w_.size(); ++node) {
    const double watts = steady.NodeWatts(node);
    if (watts == power_w_[node]) continue;
    power_w_[node] = watts;
    // The jobs of before a restart have run for some time.
    if (!is_restored) power_since_ms_[node] = now_ms_;
    changed = true;
  }
  const std::span<const double> rise_k = steady.view().rise_k();
  for (ZoneId zone = 0; zone < steady_c_.size(); ++zone) {
    steady_c_[zone] = room_->supply_c() + rise_k[zone];
  }
  if (changed) {
    for (ZoneId zone = 0; zone < excess_w_.size(); ++zone) {
      excess_w_[zone] = ExcessW(zone);
    }
    ComputeExcessRise();
  }
  if (!following_) lagged_c_ = steady_c_;
  following_ = true;
  if (!is_restored) return;
  std::transform(lagged_c_.begin(), lagged_c_.end(), restored_lag_k_.begin(),
                 lagged_c_.begin(), std::plus<>());
  PublishCorrection();
}

void LiveRoom::AdvanceTo(TimeMs now_ms) {
  const double seconds =
      std::max(0.0, static_cast<double>(now_ms - now_ms_) / kMsPerS);
  const bool first = now_ms_ == 0;
  now_ms_ = std::max(now_ms_, now_ms);
  if (first || seconds == 0) return;
  const double share = -std::expm1(-seconds / room_->time_constant_s());
  for (ZoneId zone = 0; zone < lagged_c_.size(); ++zone) {
    const double target_c = steady_c_[zone] + excess_rise_k_[zone];
    lagged_c_[zone] += share * (target_c - lagged_c_[zone]);
  }
  FindMissing();
  if (carried_until_ms_ != 0 && now_ms_ >= carried_until_ms_) EndCarrying();
  UpdateBias(seconds);
  PublishCorrection();
}

void LiveRoom::Read(std::span<const SensorReading> readings, TimeMs now_ms) {
  AdvanceTo(now_ms);
  for (const SensorReading& reading : readings) {
    const TimeMs read_ms = now_ms_ - reading.age_ms;
    if (reading.inlet_c.has_value()) {
      ReadInlet(reading.node, *reading.inlet_c, read_ms);
    }
    if (reading.power_w.has_value()) {
      ReadPower(reading.node, *reading.power_w, read_ms);
    }
  }
  const double median_error_k = MedianErrorK();
  for (const SensorReading& reading : readings) {
    if (!reading.inlet_c.has_value()) continue;
    SetState(Classify(inlets_[reading.node], median_error_k), reading.node,
             false, lagged_c_[room_->ZoneOf(reading.node)]);
  }
}

void LiveRoom::ReadInlet(NodeId node, double inlet_c, TimeMs read_ms) {
  if (!first_inlet_ms_.has_value()) first_inlet_ms_ = now_ms_;
  Sensor& sensor = inlets_[node];
  sensor.read_ms = read_ms;
  sensor.value = inlet_c;
  sensor.error_k = inlet_c - lagged_c_[room_->ZoneOf(node)];
  sensor.is_plausible = std::isfinite(inlet_c) &&
                        inlet_c >= limits_.min_inlet_c &&
                        inlet_c <= limits_.max_inlet_c;
}

SensorState LiveRoom::Classify(const Sensor& inlet,
                               double median_error_k) const {
  if (!inlet.is_plausible) return SensorState::kAbsurd;
  const double limit_k =
      limits_.most_deviation_k *
      (inlet.state == SensorState::kDeviant ? kReturnShare : 1.0);
  return std::abs(inlet.error_k - median_error_k) > limit_k
             ? SensorState::kDeviant
             : SensorState::kGood;
}

// Includes deviant sensors: when most sensors deviate, the model is wrong.
double LiveRoom::MedianErrorK() const {
  constexpr std::size_t kMinSensors = 3;
  std::vector<double> errors_k;
  for (const Sensor& sensor : inlets_) {
    if (sensor.is_plausible) errors_k.push_back(sensor.error_k);
  }
  if (errors_k.size() < kMinSensors) return 0;
  const auto middle =
      errors_k.begin() + static_cast<std::ptrdiff_t>(errors_k.size() / 2);
  std::nth_element(errors_k.begin(), middle, errors_k.end());
  return *middle;
}

void LiveRoom::ReadPower(NodeId node, double power_w, TimeMs read_ms) {
  Sensor& sensor = powers_[node];
  const Room::NodePower& type = room_->PowerOf(node);
  const double max_w =
      limits_.max_power_share * std::max(type.compute_w, type.communicate_w);
  const bool absurd = !std::isfinite(power_w) || power_w < 0 || power_w > max_w;
  sensor.read_ms = read_ms;
  sensor.value = power_w;
  SetState(absurd ? SensorState::kAbsurd : SensorState::kGood, node, true,
           power_w_[node]);
  UpdateExcess(room_->ZoneOf(node));
}

bool LiveRoom::IsCarried(ZoneId zone) const {
  const auto nodes = room_->NodesOf(zone);
  return carried_until_ms_ != 0 &&
         std::all_of(nodes.begin(), nodes.end(), [this](NodeId node) {
           return powers_[node].state == SensorState::kUnknown;
         });
}

void LiveRoom::EndCarrying() {
  carried_until_ms_ = 0;
  for (ZoneId zone = 0; zone < excess_w_.size(); ++zone) UpdateExcess(zone);
}

// Nodes without a good reading count with the power of the model.
double LiveRoom::ExcessW(ZoneId zone) const {
  const auto settles_ms =
      static_cast<TimeMs>(limits_.power_settles_s * kMsPerS);
  if (IsCarried(zone)) return carried_excess_w_[zone];
  double excess_w = 0;
  for (const NodeId node : room_->NodesOf(zone)) {
    const Sensor& sensor = powers_[node];
    if (sensor.state == SensorState::kGood &&
        sensor.read_ms >= power_since_ms_[node] + settles_ms) {
      excess_w += sensor.value - power_w_[node];
    }
  }
  return excess_w;
}

void LiveRoom::UpdateExcess(ZoneId zone) {
  const double excess_w = ExcessW(zone);
  if (excess_w == excess_w_[zone]) return;
  const ZonePower change{zone, excess_w - excess_w_[zone]};
  room_->heat().AddRise({&change, 1}, excess_rise_k_);
  excess_w_[zone] = excess_w;
}

void LiveRoom::ComputeExcessRise() {
  std::vector<ZonePower> excess;
  for (ZoneId zone = 0; zone < excess_w_.size(); ++zone) {
    if (excess_w_[zone] != 0) excess.push_back({zone, excess_w_[zone]});
  }
  std::fill(excess_rise_k_.begin(), excess_rise_k_.end(), 0.0);
  room_->heat().AddRise(excess, excess_rise_k_);
}

void LiveRoom::SetState(SensorState state, NodeId node, bool is_power,
                        double expected) {
  Sensor& sensor = is_power ? powers_[node] : inlets_[node];
  if (state == sensor.state) return;
  const bool is_alarm =
      sensor.state != SensorState::kUnknown || state != SensorState::kGood;
  sensor.state = state;
  if (is_alarm) {
    alarms_.push_back({node, is_power, state, sensor.value, expected});
  }
}

// A node that has never sent power is not missing; once one inlet is known, all
// nodes are expected to send theirs.
void LiveRoom::FindMissing() {
  const auto limit_ms = static_cast<TimeMs>(limits_.missing_after_s * kMsPerS);
  const auto is_silent = [&](TimeMs since_ms) {
    return now_ms_ - since_ms > limit_ms;
  };
  for (NodeId node = 0; node < inlets_.size(); ++node) {
    Sensor& inlet = inlets_[node];
    if (first_inlet_ms_.has_value() &&
        is_silent(std::max(inlet.read_ms, *first_inlet_ms_))) {
      inlet.is_plausible = false;
      SetState(SensorState::kMissing, node, false,
               lagged_c_[room_->ZoneOf(node)]);
    }
    if (powers_[node].state == SensorState::kUnknown ||
        !is_silent(powers_[node].read_ms)) {
      continue;
    }
    SetState(SensorState::kMissing, node, true, power_w_[node]);
    UpdateExcess(room_->ZoneOf(node));
  }
}

// The bias of a zone without a good sensor decays to 0.
void LiveRoom::UpdateBias(double seconds) {
  const double share = -std::expm1(-seconds / limits_.bias_time_s);
  for (ZoneId zone = 0; zone < bias_k_.size(); ++zone) {
    double sum = 0;
    int good = 0;
    for (const NodeId node : room_->NodesOf(zone)) {
      if (inlets_[node].state != SensorState::kGood) continue;
      sum += inlets_[node].error_k;
      ++good;
    }
    const double error_k = good == 0 ? 0 : sum / good;
    bias_k_[zone] += share * (error_k - bias_k_[zone]);
  }
}

void LiveRoom::PublishCorrection() {
  const std::vector<double>& old_k = correction_->bias_k;
  double change_k = 0;
  for (ZoneId zone = 0; zone < bias_k_.size(); ++zone) {
    change_k = std::max(
        change_k, std::abs(bias_k_[zone] + excess_rise_k_[zone] - old_k[zone]));
  }
  if (change_k <= kMinCorrectionChangeK) return;
  auto correction = std::make_shared<InletCorrection>();
  correction->version = correction_->version + 1;
  correction->bias_k.resize(bias_k_.size());
  std::transform(bias_k_.begin(), bias_k_.end(), excess_rise_k_.begin(),
                 correction->bias_k.begin(), std::plus<>());
  correction_ = std::move(correction);
}

std::vector<double> LiveRoom::InletC() const {
  std::vector<double> inlet_c(lagged_c_.size());
  std::transform(lagged_c_.begin(), lagged_c_.end(), bias_k_.begin(),
                 inlet_c.begin(), std::plus<>());
  return inlet_c;
}

std::vector<SensorAlarm> LiveRoom::TakeAlarms() {
  return std::exchange(alarms_, {});
}

}  // namespace coolspan
