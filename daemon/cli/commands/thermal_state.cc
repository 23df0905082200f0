// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/thermal_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace coolspan {

RoomState StateWithBusy(const std::shared_ptr<const Room>& room,
                        const NodeSet& busy, double share) {
  std::vector<NodeLoad> loads(room->node_count());
  const auto communicate = static_cast<float>(share);
  for (const NodeId node : busy.Members()) {
    loads[node] = {1 - communicate, communicate};
  }
  RoomState state(room);
  state.Follow(loads);
  return state;
}

SteadyRoom SteadyOf(const RoomState& state) {
  const RoomView view = state.view();
  SteadyRoom steady{{view.inlet_c().begin(), view.inlet_c().end()},
                    {view.power_w().begin(), view.power_w().end()},
                    {},
                    view.it_w()};
  for (NodeId node = 0; node < state.room().node_count(); ++node) {
    steady.node_power_w.push_back(state.NodeWatts(node));
  }
  return steady;
}

SteadyRoom SteadyWithPowers(const Room& room,
                            const std::vector<std::optional<double>>& powers) {
  SteadyRoom steady;
  steady.inlet_c.assign(room.zone_count(), room.supply_c());
  steady.node_power_w.assign(room.node_count(), 0);
  std::vector<ZonePower> emitters;
  for (ZoneId zone = 0; zone < room.zone_count(); ++zone) {
    const std::span<const NodeId> nodes = room.NodesOf(zone);
    const bool is_on =
        room.idle_on() ||
        std::any_of(nodes.begin(), nodes.end(),
                    [&](NodeId node) { return powers[node].has_value(); });
    double watts = 0;
    for (const NodeId node : nodes) {
      if (!is_on) continue;
      steady.node_power_w[node] =
          powers[node].value_or(room.PowerOf(node).idle_w);
      watts += steady.node_power_w[node];
    }
    steady.power_w.push_back(watts);
    steady.it_w += watts;
    emitters.push_back({zone, watts});
  }
  room.heat().AddRise(emitters, steady.inlet_c);
  return steady;
}

absl::StatusOr<std::shared_ptr<const Machine>> WithTemperatures(
    const Machine& machine, double supply_c, double redline_c) {
  if (!(redline_c > supply_c)) {
    return absl::InvalidArgumentError(
        fmt::format("--redline-c: {} C is not above the supply temperature "
                    "(expected more than {} C)",
                    redline_c, supply_c));
  }
  Room::Description description = machine.room()->description();
  description.supply_c = supply_c;
  description.redline_c = redline_c;
  auto room = Room::Create(std::move(description));
  if (!room.ok()) return room.status();
  return machine.InRoom(*std::move(room));
}

double PueOf(double it_w, double cooling_w) {
  return (it_w + cooling_w) / it_w;
}

}  // namespace coolspan
