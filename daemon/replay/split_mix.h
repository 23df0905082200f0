// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_SPLIT_MIX_H_
#define COOLSPAN_REPLAY_SPLIT_MIX_H_

#include <cstdint>

namespace coolspan {

// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
// generators", 2014): number `step` of the sequence from `seed`. Consecutive
// seeds and steps give unrelated numbers.
inline std::uint64_t SplitMix(std::uint64_t seed, std::uint64_t step) {
  std::uint64_t z = seed + (step + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_SPLIT_MIX_H_
