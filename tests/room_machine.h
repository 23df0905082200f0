// SPDX-License-Identifier: GPL-3.0-or-later
// Rooms for tests: any D, one type of node, as many nodes a zone as fit.
#ifndef COOLSPAN_TESTS_ROOM_MACHINE_H_
#define COOLSPAN_TESTS_ROOM_MACHINE_H_

#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "core/machine.h"
#include "core/room.h"
#include "thermal/dense_heat.h"

namespace coolspan {

// A room of so many nodes, node_count / zones in each zone; k_per_w row after
// row. 100 W idle, 300 W computing, 200 W communicating.
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

// D with entries from 0 to most, some of them 0.
inline std::vector<double> RandomHeat(ZoneId zones, double most,
                                      std::uint32_t seed) {
  std::minstd_rand random(seed);
  std::uniform_real_distribution<double> entry(-most / 4, most);
  std::vector<double> heat(std::size_t{zones} * zones);
  for (double& value : heat) value = std::max(0.0, entry(random));
  return heat;
}

// The same machine in a room.
inline std::shared_ptr<const Machine> InRoom(
    const Machine& machine, Room::Description room,
    std::shared_ptr<const Topology> topology) {
  std::vector<std::string> names;
  for (NodeId node = 0; node < machine.node_count(); ++node) {
    names.push_back(machine.NodeName(node));
  }
  return Machine::Create(machine.name(), std::move(names), std::move(topology),
                         Room::Create(std::move(room)).value())
      .value();
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_ROOM_MACHINE_H_
