// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_TRANSIENT_H_
#define COOLSPAN_THERMAL_TRANSIENT_H_

#include <memory>
#include <optional>
#include <vector>

#include "core/room_state.h"

namespace coolspan {

// The inlets of a room after its power changed at time 0.
struct Transient {
  struct Point {
    double time_s = 0;
    std::vector<double> inlet_c;  // by zone
  };
  std::vector<Point> points;  // from time 0
  // When the first inlet that was below the redline reaches it, and its zone;
  // none: no inlet does.
  std::optional<double> redline_s;
  ZoneId redline_zone = 0;
};

// From the steady state `before` to the one `after`, as the live model of the
// daemon (LiveRoom) follows it without sensors: a first-order lag,
//   T(t) = T_after + (T_before - T_after) exp(-t / time_constant),
// at 0, step_s, 2 step_s, ... up to duration_s. REQUIRES states of one room,
// step_s of a millisecond and more.
Transient TransientOf(const RoomState& before, const RoomState& after,
                      double duration_s, double step_s);

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_TRANSIENT_H_
