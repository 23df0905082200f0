// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_COOLING_H_
#define COOLSPAN_THERMAL_COOLING_H_

#include <span>

#include "core/room.h"

namespace coolspan {

// What it takes to cool a room (joint-allocation-sst, equations 9 to 12).
struct Cooling {
  double peak_inlet_c = 0;  // at the room's supply temperature
  ZoneId peak_zone = 0;     // of equal ones the smallest
  double supply_max_c = 0;  // supply + redline - peak: keeps all at the redline
  double cop = 0;           // at supply_max_c
  double it_w = 0;
  double cooling_w = 0;            // it_w / cop
  double cooling_at_supply_w = 0;  // at the room's supply temperature
  // Whether the polynomial says something sensible at supply_max_c: it is
  // above 0 and grows there.
  bool cop_is_sensible = true;
};

// inlet_c: by zone, at the room's supply temperature, at least one. Where the
// polynomial is not above 0, cooling takes infinite power.
Cooling CoolingOf(const Room& room, std::span<const double> inlet_c,
                  double it_w);
inline Cooling CoolingOf(const RoomView& view) {
  return CoolingOf(view.room(), view.inlet_c(), view.it_w());
}

// Under the keys of an allocation's metrics: visit(key, value).
template <typename Visitor>
void VisitMetrics(const Cooling& cooling, const Visitor& visit) {
  visit("peak_inlet_c", cooling.peak_inlet_c);
  visit("supply_max_c", cooling.supply_max_c);
  visit("it_w", cooling.it_w);
  visit("cooling_w", cooling.cooling_w);
}

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_COOLING_H_
