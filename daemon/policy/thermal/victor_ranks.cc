// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/thermal/victor_ranks.h"

#include <algorithm>

namespace coolspan {
namespace {

double MaxWatts(const Room::NodePower& power) {
  return std::max(power.compute_w, power.communicate_w);
}

}  // namespace

std::vector<double> VictorRanks(const Room& room) {
  std::vector<ZonePower> max_power(room.zone_count());
  for (ZoneId zone = 0; zone < room.zone_count(); ++zone) {
    max_power[zone].zone = zone;
    for (const NodeId node : room.NodesOf(zone)) {
      max_power[zone].watts += MaxWatts(room.PowerOf(node));
    }
  }
  std::vector<double> v(room.zone_count(), 0.0);
  room.heat().AddRise(max_power, v);
  std::vector<double> d_transpose_v(room.zone_count(), 0.0);
  room.heat().AddPull(v, d_transpose_v);
  std::vector<double> ranks;
  ranks.reserve(room.node_count());
  for (NodeId node = 0; node < room.node_count(); ++node) {
    ranks.push_back(MaxWatts(room.PowerOf(node)) *
                    d_transpose_v[room.ZoneOf(node)]);
  }
  return ranks;
}

}  // namespace coolspan
