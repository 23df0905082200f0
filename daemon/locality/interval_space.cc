// SPDX-License-Identifier: GPL-3.0-or-later
#include "locality/interval_space.h"

#include <algorithm>
#include <bit>

namespace coolspan {
namespace {

constexpr Rank kBits = 64;

}  // namespace

IntervalSpace IntervalSpaceOf(std::span<const std::uint64_t> free_ranks) {
  IntervalSpace space;
  NodeCount length = 0;
  const auto close = [&] {
    if (length == 0) return;
    const auto bin = static_cast<std::size_t>(std::bit_width(length)) - 1;
    if (space.by_length.size() <= bin) space.by_length.resize(bin + 1, 0);
    ++space.by_length[bin];
    ++space.count;
    space.largest = std::max(space.largest, length);
    length = 0;
  };
  for (const std::uint64_t word : free_ranks) {
    for (unsigned bit = 0; bit < kBits;) {
      const std::uint64_t rest = word >> bit;
      const auto taken = static_cast<unsigned>(
          std::min<int>(std::countr_zero(rest), static_cast<int>(kBits - bit)));
      if (taken > 0) close();
      bit += taken;
      if (bit == kBits) break;
      const auto free = static_cast<unsigned>(std::countr_one(word >> bit));
      length += free;
      bit += free;
    }
  }
  close();
  return space;
}

IntervalSpace IntervalSpaceOf(const Ordering& ordering, const NodeSet& free) {
  std::vector<std::uint64_t> free_ranks((free.size() + kBits - 1) / kBits, 0);
  free.ForEach([&](NodeId node) {
    const Rank rank = ordering.RankOf(node);
    free_ranks[rank / kBits] |= std::uint64_t{1} << (rank % kBits);
  });
  return IntervalSpaceOf(free_ranks);
}

}  // namespace coolspan
