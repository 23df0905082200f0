// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/heat/heat_cost.h"

#include <algorithm>
#include <cmath>

namespace coolspan {

HeatCost HeatCostOf(const RoomView& before, const RoomState::Forecast& after) {
  const Room& room = before.room();
  const double supply_c = room.SupplyMaxC(PeakInletC(before));
  const double supply_after_c = room.SupplyMaxC(after.peak_inlet_c);
  HeatCost cost{after.peak_inlet_c, std::nullopt};
  if (room.CopIsSensibleAt(supply_c) && room.CopIsSensibleAt(supply_after_c)) {
    cost.cooling_added_w = room.CoolingWatts(after.it_w, supply_after_c) -
                           room.CoolingWatts(before.it_w(), supply_c);
  }
  return cost;
}

double PeakInletC(const RoomView& room) {
  return *std::max_element(room.inlet_c().begin(), room.inlet_c().end());
}

void NoteRounded(std::string_view name, std::optional<double> value,
                 Trace& trace) {
  constexpr double kDecimals = 1000;
  if (!value.has_value() || !std::isfinite(*value)) return;
  trace.Note(name, std::round(*value * kDecimals) / kDecimals);
}

}  // namespace coolspan
