// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/transient.h"

#include <algorithm>
#include <cmath>

#include "thermal/live_room.h"

namespace coolspan {
namespace {

// redline = T_after + (T_before - T_after) exp(-t / tau), solved for t.
void FindRedline(const RoomState& before, const RoomState& after,
                 Transient& transient) {
  const Room& room = before.room();
  for (ZoneId zone = 0; zone < room.zone_count(); ++zone) {
    const double from_c = before.view().inlet_c()[zone];
    const double to_c = after.view().inlet_c()[zone];
    const double redline_c = room.redline_c();
    if (from_c >= redline_c || to_c <= redline_c) continue;
    const double time_s =
        room.time_constant_s() * std::log((to_c - from_c) / (to_c - redline_c));
    if (transient.redline_s && *transient.redline_s <= time_s) continue;
    transient.redline_s = time_s;
    transient.redline_zone = zone;
  }
}

}  // namespace

Transient TransientOf(const RoomState& before, const RoomState& after,
                      double duration_s, double step_s) {
  constexpr double kMsPerS = 1000;
  constexpr TimeMs kStartMs = 1000;  // LiveRoom takes 0 for no time yet
  LiveRoom live(std::make_shared<const Room>(before.room()));
  live.Follow(before, kStartMs);
  live.Follow(after, kStartMs);
  Transient transient;
  FindRedline(before, after, transient);
  for (std::size_t i = 0;; ++i) {
    const double time_s = std::min(static_cast<double>(i) * step_s, duration_s);
    live.AdvanceTo(kStartMs +
                   static_cast<TimeMs>(std::llround(time_s * kMsPerS)));
    transient.points.push_back({time_s, live.InletC()});
    if (time_s >= duration_s) return transient;
  }
}

}  // namespace coolspan
