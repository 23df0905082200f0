// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/cooling.h"

#include <algorithm>

namespace coolspan {

Cooling CoolingOf(const Room& room, std::span<const double> inlet_c,
                  double it_w) {
  const auto peak = std::max_element(inlet_c.begin(), inlet_c.end());
  Cooling cooling;
  cooling.peak_inlet_c = *peak;
  cooling.peak_zone = static_cast<ZoneId>(peak - inlet_c.begin());
  cooling.supply_max_c = room.SupplyMaxC(*peak);
  cooling.cop = room.CopAt(cooling.supply_max_c);
  cooling.it_w = it_w;
  cooling.cooling_w = room.CoolingWatts(it_w, cooling.supply_max_c);
  cooling.cooling_at_supply_w = room.CoolingWatts(it_w, room.supply_c());
  cooling.cop_is_sensible = room.CopIsSensibleAt(cooling.supply_max_c);
  return cooling;
}

void VisitMetrics(
    const Cooling& cooling,
    absl::FunctionRef<void(std::string_view key, std::optional<double> value)>
        visit) {
  visit("peak_inlet_c", cooling.peak_inlet_c);
  visit("supply_max_c", cooling.supply_max_c);
  visit("it_w", cooling.it_w);
  visit("cooling_w", cooling.cooling_w);
}

}  // namespace coolspan
