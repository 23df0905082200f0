// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_UNIFORM_DRAW_H_
#define COOLSPAN_POLICY_UNIFORM_DRAW_H_

#include <cstdint>
#include <limits>
#include <random>

namespace coolspan {

// A uniformly distributed number below bound. The results of
// std::uniform_int_distribution depend on the standard library; decisions must
// be the same everywhere.
inline std::uint32_t UniformDraw(std::mt19937_64& random, std::uint32_t bound) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t fair_end = kMax - kMax % bound;
  while (true) {
    const std::uint64_t draw = random();
    if (draw < fair_end) return static_cast<std::uint32_t>(draw % bound);
  }
}

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_UNIFORM_DRAW_H_
