// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_NODE_SPEED_H_
#define COOLSPAN_REPLAY_NODE_SPEED_H_

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/room.h"
#include "core/types.h"

namespace coolspan {

// The lowest speed of the nodes, which is that of a job on them; 1 for none.
inline double SlowestSpeed(const Room& room, std::span<const NodeId> nodes) {
  if (nodes.empty()) return 1;
  double slowest = room.PowerOf(nodes.front()).speed;
  if (room.description().types.size() == 1) return slowest;
  for (const NodeId node : nodes) {
    slowest = std::min(slowest, room.PowerOf(node).speed);
  }
  return slowest;
}

// The time that work takes at this speed, with the time that it takes at
// speed 1: t_ik of spatio-temporal-scint, section 7.3. Logged run times and
// estimates are those of nodes of speed 1. Rounded to milliseconds; 0 only for
// no work.
inline TimeMs AtSpeed(TimeMs time_ms, double speed) {
  if (speed == 1 || time_ms <= 0) return time_ms;
  constexpr double kMaxMs = 9.2e18;  // fits TimeMs
  const double scaled_ms = static_cast<double>(time_ms) / speed;
  if (scaled_ms >= kMaxMs) return std::numeric_limits<TimeMs>::max();
  return std::max<TimeMs>(std::llround(scaled_ms), 1);
}

// The end of a job that would end then and stands still until paused_ms, if it
// moves now, stands still for pause_ms and goes on at another speed.
inline TimeMs EndAfterMove(TimeMs end_ms, TimeMs paused_ms, TimeMs now_ms,
                           TimeMs pause_ms, double speed, double new_speed) {
  const TimeMs left_ms = end_ms - std::max(now_ms, paused_ms);
  return now_ms + pause_ms +
         AtSpeed(std::max<TimeMs>(left_ms, 0), new_speed / speed);
}

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_NODE_SPEED_H_
