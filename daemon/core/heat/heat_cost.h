// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_HEAT_HEAT_COST_H_
#define COOLSPAN_CORE_HEAT_HEAT_COST_H_

#include <optional>
#include <string_view>

#include "core/allocation.h"
#include "core/room_state.h"

namespace coolspan {

// Effect of an allocation on the room.
struct HeatCost {
  double peak_inlet_c = 0;
  // None if the maximum supply temperature before or after is outside the valid
  // range of the CoP model.
  std::optional<double> cooling_added_w;
};
HeatCost HeatCostOf(const RoomView& before, const RoomState::Forecast& after);

double PeakInletC(const RoomView& room);

// Notes the value rounded to three decimals; nothing if it is none or not
// finite.
void NoteRounded(std::string_view name, std::optional<double> value,
                 Trace& trace);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_HEAT_HEAT_COST_H_
