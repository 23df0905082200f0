// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_COOLING_H_
#define COOLSPAN_THERMAL_COOLING_H_

#include <optional>
#include <span>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "core/room.h"

namespace coolspan {

// Power for cooling a room (joint-allocation-sst):
//   T_sup' = T_sup + T_red - T_in,max                          (11)
//   CoP(T) = c2 T^2 + c1 T + c0                                (10)
//   P_AC   = P_c / CoP(T_sup')                              (9, 12)
// with T_sup the configured supply temperature, T_red the redline, T_in,max
// the peak inlet at T_sup, and P_c the IT power.
struct Cooling {
  double peak_inlet_c = 0;         // T_in,max
  ZoneId peak_zone = 0;            // smallest ID of equal ones
  double supply_max_c = 0;         // T_sup'
  double cop = 0;                  // CoP(T_sup')
  double it_w = 0;                 // P_c
  double cooling_w = 0;            // P_AC
  double cooling_at_supply_w = 0;  // P_c / CoP(T_sup)
  bool cop_is_sensible = true;     // T_sup' is in the valid range of the model
};

// inlet_c: by zone, at T_sup; not empty. Cooling power is infinite where CoP is
// not above 0.
Cooling CoolingOf(const Room& room, std::span<const double> inlet_c,
                  double it_w);
inline Cooling CoolingOf(const RoomView& view) {
  return CoolingOf(view.room(), view.inlet_c(), view.it_w());
}

// Calls visit(key, value) for each metric, in the order of reports.
void VisitMetrics(
    const Cooling& cooling,
    absl::FunctionRef<void(std::string_view key, std::optional<double> value)>
        visit);

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_COOLING_H_
