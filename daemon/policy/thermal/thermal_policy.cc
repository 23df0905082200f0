// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/thermal/thermal_policy.h"

namespace coolspan {

double ShareOf(const MachineView& view, const Request& request) {
  return request.communication_share.value_or(
      static_cast<float>(view.room()->room().communication_share()));
}

std::optional<Allocation> ThermalPolicy::Place(const MachineView& view,
                                               const Request& request,
                                               Budget& budget,
                                               Trace& trace) const {
  const RoomView* room = view.room();
  if (room == nullptr) {
    trace.Note("room", "unknown");
    return std::nullopt;
  }
  const double share = ShareOf(view, request);
  return PlaceDemand(
      view, request, trace, [&](const Choice& choice, Trace& facts) {
        return ChooseNodes({view, *room, share, choice, budget}, facts);
      });
}

}  // namespace coolspan
