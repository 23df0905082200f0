// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/room_state.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace coolspan {

RoomState::RoomState(std::shared_ptr<const Room> room)
    : room_(std::move(room)),
      loads_(room_->node_count()),
      power_w_(room_->zone_count(), 0.0),
      rise_k_(room_->zone_count(), 0.0),
      inlet_c_(room_->zone_count(), 0.0) {
  for (ZoneId zone = 0; zone < room_->zone_count(); ++zone) {
    power_w_[zone] = PowerOf(zone);
    it_w_ += power_w_[zone];
    if (power_w_[zone] != 0) changes_.push_back({zone, power_w_[zone]});
  }
  room_->heat().UpdateRise(changes_, power_w_, rise_k_);
  SumInlets();
}

// P_zone = idle_w + sum over its loaded nodes of (P_node(load) - idle_w of the
// node), spatio-temporal-scint equation 7; 0 for a zone without load if idle
// nodes are off. Rounded to kPowerStepW, so that sums and differences of powers
// are exact.
double RoomState::PowerOf(ZoneId zone) const {
  double added_w = 0;
  bool loaded = false;
  for (const NodeId node : room_->NodesOf(zone)) {
    if (loads_[node] == NodeLoad{}) continue;
    added_w +=
        room_->NodeWatts(node, loads_[node]) - room_->PowerOf(node).idle_w;
    loaded = true;
  }
  const double idle_w =
      loaded || room_->idle_on() ? room_->IdleWatts(zone) : 0.0;
  constexpr double kStep = HeatMatrix::kPowerStepW;
  return std::round((idle_w + added_w) / kStep) * kStep;
}

template <typename Loads>
void RoomState::FollowAll(const Loads& loads) {
  changes_.clear();
  for (NodeId node = 0; node < loads.size(); ++node) {
    if (loads[node] == loads_[node]) continue;
    const ZoneId zone = room_->ZoneOf(node);
    for (const NodeId neighbour : room_->NodesOf(zone)) {
      loads_[neighbour] = loads[neighbour];
    }
    const double watts = PowerOf(zone);
    if (watts == power_w_[zone]) continue;
    changes_.push_back({zone, watts - power_w_[zone]});
    it_w_ += watts - power_w_[zone];
    power_w_[zone] = watts;
  }
  if (changes_.empty()) return;
  room_->heat().UpdateRise(changes_, power_w_, rise_k_);
  SumInlets();
}

void RoomState::Follow(std::span<const NodeLoad> loads) { FollowAll(loads); }

void RoomState::Follow(const LoadsByNode& loads) { FollowAll(loads); }

RoomState::Forecast RoomState::With(std::span<const MoreLoad> more) {
  changes_.clear();
  std::vector<NodeLoad> before;
  before.reserve(more.size());
  for (const MoreLoad& one : more) {
    NodeLoad& load = loads_[one.node];
    before.push_back(load);
    load.compute += one.load.compute;
    load.communicate += one.load.communicate;
  }
  double it_w = it_w_;
  for (const MoreLoad& one : more) {
    const ZoneId zone = room_->ZoneOf(one.node);
    const double watts = PowerOf(zone);
    if (watts == power_w_[zone]) continue;  // or a zone already changed
    changes_.push_back({zone, watts - power_w_[zone]});
    it_w += watts - power_w_[zone];
    power_w_[zone] = watts;
  }
  for (std::size_t i = 0; i < more.size(); ++i) {
    loads_[more[i].node] = before[i];
  }
  for (const ZonePower& change : changes_) {
    power_w_[change.zone] -= change.watts;  // exact in these steps
  }
  forecast_c_ = inlet_c_;
  room_->heat().AddRise(changes_, forecast_c_);
  return {*std::max_element(forecast_c_.begin(), forecast_c_.end()), it_w};
}

void RoomState::Correct(std::shared_ptr<const InletCorrection> correction) {
  if (correction == correction_) return;
  correction_ = std::move(correction);
  SumInlets();
}

void RoomState::SumInlets() {
  for (ZoneId zone = 0; zone < inlet_c_.size(); ++zone) {
    inlet_c_[zone] = room_->supply_c() + rise_k_[zone];
  }
  if (correction_ == nullptr) return;
  for (ZoneId zone = 0; zone < inlet_c_.size(); ++zone) {
    inlet_c_[zone] += correction_->bias_k[zone];
  }
}

double RoomState::NodeWatts(NodeId node) const {
  const bool is_on = room_->idle_on() || power_w_[room_->ZoneOf(node)] > 0;
  return is_on ? room_->NodeWatts(node, loads_[node]) : 0;
}

RoomView RoomState::view() const {
  return {*room_,   rise_k_, inlet_c_,
          power_w_, it_w_,   correction_ == nullptr ? 0 : correction_->version};
}

}  // namespace coolspan
