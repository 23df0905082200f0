// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_WALL_CLOCK_H_
#define COOLSPAN_CLIENT_WALL_CLOCK_H_

#include <chrono>
#include <cstdint>

namespace coolspan {

// Milliseconds since 1970, the unit of now_ms in the requests.
inline std::int64_t WallClockMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_WALL_CLOCK_H_
