// SPDX-License-Identifier: GPL-3.0-or-later
// Rooms for tests.
#ifndef COOLSPAN_TESTS_ROOM_MACHINE_H_
#define COOLSPAN_TESTS_ROOM_MACHINE_H_

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "core/machine.h"
#include "core/node_set.h"
#include "core/room.h"
#include "core/room_state.h"
#include "thermal/dense_heat.h"

namespace coolspan {

// A room of nodes / zones consecutive nodes in each zone; k_per_w: D, row by
// row. Nodes draw 100 W idle, 300 W computing, 200 W communicating.
inline Room::Description RoomDescription(NodeCount nodes, ZoneId zones,
                                         const std::vector<double>& k_per_w) {
  Room::Description room;
  room.heat = DenseHeat::Create(zones, k_per_w).value();
  room.types = {{.idle_w = 100, .compute_w = 300, .communicate_w = 200}};
  room.type_of.assign(nodes, 0);
  const NodeCount size = (nodes + zones - 1) / zones;
  for (NodeId node = 0; node < nodes; ++node) {
    room.zone_of.push_back(node / size);
  }
  room.supply_c = 15;
  room.redline_c = 30;
  return room;
}

// D with entries from 0 to max, about a fifth of them 0.
inline std::vector<double> RandomHeat(ZoneId zones, double max,
                                      std::uint32_t seed) {
  std::minstd_rand random(seed);
  std::uniform_real_distribution<double> entry(-max / 4, max);
  std::vector<double> heat(std::size_t{zones} * zones);
  for (double& value : heat) value = std::max(0.0, entry(random));
  return heat;
}

// The same machine in a room; throws if the description is invalid.
inline std::shared_ptr<const Machine> InRoom(const Machine& machine,
                                             Room::Description room) {
  return machine.InRoom(Room::Create(std::move(room)).value()).value();
}

// The same machine in a room of at most max_zones zones of consecutive nodes,
// with a random D, two types of nodes, idle nodes on or off.
inline std::shared_ptr<const Machine> InSomeRoom(
    const std::shared_ptr<const Machine>& machine, ZoneId max_zones,
    std::uint32_t seed) {
  const NodeCount nodes = machine->node_count();
  const ZoneId zones = std::min(nodes, max_zones);
  std::minstd_rand random(seed);
  Room::Description room =
      RoomDescription(nodes, zones, RandomHeat(zones, 0.02 / zones, seed + 1));
  room.types.push_back({.idle_w = 50, .compute_w = 500, .communicate_w = 550});
  for (NodeId node = 0; node < nodes; ++node) {
    room.zone_of[node] =
        static_cast<ZoneId>(std::uint64_t{node} * zones / nodes);
    room.type_of[node] = static_cast<std::uint16_t>(random() % 2);
  }
  room.idle_on = random() % 2 == 0;
  return InRoom(*machine, std::move(room));
}

// State of the machine's room while all nodes that are not free compute; view()
// is nullptr for a machine without a room.
class RoomWithJobs {
 public:
  RoomWithJobs(const Machine& machine, const NodeSet& free) {
    if (machine.room() == nullptr) return;
    std::vector<NodeLoad> loads(machine.node_count());
    for (NodeId node = 0; node < machine.node_count(); ++node) {
      if (!free.Contains(node)) loads[node].compute = 1;
    }
    state_.emplace(machine.room());
    state_->Follow(loads);
    view_.emplace(state_->view());
  }
  const RoomView* view() const { return view_ ? &*view_ : nullptr; }

 private:
  std::optional<RoomState> state_;
  std::optional<RoomView> view_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_ROOM_MACHINE_H_
