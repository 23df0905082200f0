// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_INPUT_TRACE_TIME_H_
#define COOLSPAN_REPLAY_INPUT_TRACE_TIME_H_

#include <cmath>

#include "core/types.h"

namespace coolspan {

// 31,700 years: far below the maximum of TimeMs.
inline constexpr double kMaxTraceTimeS = 1e12;

// Rounded to milliseconds. REQUIRES at most kMaxTraceTimeS, with either sign.
inline TimeMs ToMs(double seconds) {
  return static_cast<TimeMs>(
      std::llround(seconds * static_cast<double>(kMsPerSecond)));
}

inline double ToSeconds(TimeMs time_ms) {
  return static_cast<double>(time_ms) / static_cast<double>(kMsPerSecond);
}

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_INPUT_TRACE_TIME_H_
