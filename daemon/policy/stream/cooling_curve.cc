// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/cooling_curve.h"

#include <algorithm>
#include <vector>

#include "absl/container/btree_map.h"

namespace coolspan {
namespace {

// The lowest supply temperature above 2 C in the valid range of the CoP model.
double MinSupplyC(const Room& room) {
  constexpr double kLowestC = 2;
  double supply_c = kLowestC;
  while (supply_c < room.supply_c() && !room.CopIsSensibleAt(supply_c)) {
    supply_c += 1;
  }
  return supply_c;
}

}  // namespace

CoolingCurve::CoolingCurve(const Room& room)
    : room_(room), min_supply_c_(MinSupplyC(room)) {}

double CoolingCurve::WattsWith(const RoomView& view,
                               std::span<const NodeId> nodes,
                               double communication_share) const {
  absl::btree_map<ZoneId, double> watts;
  for (const NodeId node : nodes) {
    const ZoneId zone = room_.ZoneOf(node);
    const auto [at, is_first] = watts.try_emplace(zone, 0.0);
    if (is_first) at->second = view.WakingWatts(zone);
    at->second += room_.AddedWatts(node, communication_share);
  }
  std::vector<ZonePower> emitters;
  double it_w = view.it_w();
  for (const auto& [zone, added_w] : watts) {
    emitters.push_back({zone, added_w});
    it_w += added_w;
  }
  std::vector<double> inlet_c(view.inlet_c().begin(), view.inlet_c().end());
  room_.heat().AddRise(emitters, inlet_c);
  return Watts(it_w, *std::max_element(inlet_c.begin(), inlet_c.end()));
}

double CoolingCurve::NodeWatts(const RoomView& view, const NodeSet& nodes,
                               double communication_share,
                               const HeatWeights& heat) const {
  constexpr double kWattsOfKilowatt = 1000;
  double all_w = 0;
  nodes.ForEach([&](NodeId node) {
    all_w += room_.PowerOf(node).idle_w +
             room_.AddedWatts(node, communication_share);
  });
  const double busy_w = all_w / nodes.Count();
  const auto inlets = view.inlet_c();
  const double peak_c = *std::max_element(inlets.begin(), inlets.end());
  const double total = heat.pue > 0 ? heat.pue : 1 + Watts(1, peak_c);
  return busy_w * total +
         kWattsOfKilowatt * heat.node_price / heat.energy_price;
}

}  // namespace coolspan
