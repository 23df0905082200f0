// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/room_meter.h"

#include <utility>

#include "replay/input/workload.h"

namespace coolspan {
namespace {

NodeLoad LoadOf(float communication_share) {
  return {.compute = 1 - communication_share,
          .communicate = communication_share};
}

}  // namespace

RoomMeter::RoomMeter(std::shared_ptr<const Room> room, TimeMs begin_ms)
    : state_(std::move(room)),
      loads_(state_.room().node_count()),
      begin_ms_(begin_ms),
      now_ms_(begin_ms) {}

void RoomMeter::SetLoads(const std::vector<NodeId>& nodes, NodeLoad load) {
  for (const NodeId node : nodes) loads_[node] = load;
  is_measured_ = false;
}

Cooling RoomMeter::Measure() {
  state_.Follow(loads_);
  return CoolingOf(state_.view());
}

const Cooling& RoomMeter::Now() {
  if (!is_measured_) {
    cooling_ = Measure();
    is_measured_ = true;
  }
  return cooling_;
}

std::span<const double> RoomMeter::InletsNow() {
  state_.Follow(loads_);
  return state_.view().inlet_c();
}

void RoomMeter::AdvanceTo(TimeMs now_ms) {
  if (now_ms <= now_ms_) return;
  Now();
  const double passed_s =
      static_cast<double>(now_ms - now_ms_) / static_cast<double>(kMsPerSecond);
  totals_.it_energy_j += cooling_.it_w * passed_s;
  totals_.cooling_energy_j += cooling_.cooling_w * passed_s;
  if (!cooling_.cop_is_sensible) totals_.cop_not_sensible_s += passed_s;
  now_ms_ = now_ms;
  totals_.time_s = static_cast<double>(now_ms - begin_ms_) /
                   static_cast<double>(kMsPerSecond);
}

Cooling RoomMeter::IfStarted(const std::vector<NodeId>& nodes,
                             float communication_share, TimeMs now_ms) {
  AdvanceTo(now_ms);
  const bool was_measured = is_measured_;
  SetLoads(nodes, LoadOf(communication_share));
  const Cooling cooling = Measure();
  SetLoads(nodes, {});
  is_measured_ = was_measured;
  return cooling;
}

void RoomMeter::Start(const std::vector<NodeId>& nodes,
                      float communication_share, TimeMs now_ms) {
  AdvanceTo(now_ms);
  SetLoads(nodes, LoadOf(communication_share));
}

void RoomMeter::Move(const std::vector<NodeId>& from,
                     const std::vector<NodeId>& to, TimeMs now_ms) {
  AdvanceTo(now_ms);
  const NodeLoad load = loads_[from.front()];
  SetLoads(from, {});
  SetLoads(to, load);
}

void RoomMeter::End(const std::vector<NodeId>& nodes, TimeMs now_ms) {
  AdvanceTo(now_ms);
  SetLoads(nodes, {});
}

}  // namespace coolspan
