// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_HEAT_COST_H_
#define COOLSPAN_CORE_HEAT_COST_H_

#include <optional>
#include <string_view>

#include "core/allocation.h"
#include "core/room_state.h"

namespace coolspan {

// What a choice of nodes does to the room.
struct HeatCost {
  double peak_inlet_c = 0;
  // None where the CoP polynomial means nothing, before or after.
  std::optional<double> cooling_added_w;
};
HeatCost HeatCostOf(const RoomView& before, const RoomState::Forecast& after);

double PeakInletC(const RoomView& room);

// Rounded to three decimals, as people read it; what is none is not noted.
void NoteRounded(std::string_view name, std::optional<double> value,
                 Trace& trace);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_HEAT_COST_H_
