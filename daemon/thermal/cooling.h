// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_COOLING_H_
#define COOLSPAN_THERMAL_COOLING_H_

#include <functional>
#include <optional>
#include <span>
#include <string_view>

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
  bool cop_is_sensible = true;
};

// inlet_c: by zone, at the room's supply temperature, at least one. Where the
// polynomial is not above 0, cooling takes infinite power.
Cooling CoolingOf(const Room& room, std::span<const double> inlet_c,
                  double it_w);
inline Cooling CoolingOf(const RoomView& view) {
  return CoolingOf(view.room(), view.inlet_c(), view.it_w());
}

// Calls visit(key, value) with the keys of metrics that users see, in their
// order.
void VisitMetrics(
    const Cooling& cooling,
    const std::function<void(std::string_view key,
                             std::optional<double> value)>& visit);

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_COOLING_H_
