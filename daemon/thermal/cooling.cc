// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/cooling.h"

#include <algorithm>
#include <limits>

namespace coolspan {
namespace {

double CoolingWatts(double it_w, double cop) {
  return cop > 0 ? it_w / cop : std::numeric_limits<double>::infinity();
}

}  // namespace

double CopAt(const Room& room, double supply_c) {
  const auto& [c2, c1, c0] = room.cop();
  return (c2 * supply_c + c1) * supply_c + c0;
}

Cooling CoolingOf(const Room& room, std::span<const double> inlet_c,
                  double it_w) {
  const auto peak = std::max_element(inlet_c.begin(), inlet_c.end());
  Cooling cooling;
  cooling.peak_inlet_c = *peak;
  cooling.peak_zone = static_cast<ZoneId>(peak - inlet_c.begin());
  cooling.supply_max_c = room.supply_c() + room.redline_c() - *peak;
  cooling.cop = CopAt(room, cooling.supply_max_c);
  cooling.it_w = it_w;
  cooling.cooling_w = CoolingWatts(it_w, cooling.cop);
  cooling.cooling_at_supply_w =
      CoolingWatts(it_w, CopAt(room, room.supply_c()));
  const double slope = 2 * room.cop()[0] * cooling.supply_max_c + room.cop()[1];
  cooling.cop_is_sensible = cooling.cop > 0 && slope > 0;
  return cooling;
}

}  // namespace coolspan
