// SPDX-License-Identifier: GPL-3.0-or-later
#include "locality/sums_along.h"

#include <algorithm>
#include <numeric>

namespace coolspan {

// From place x to x + 1 the distance to nodes ahead (on a ring: by at most half
// of it) falls by 1 and to all others rises by 1, except for the place of an
// odd ring that is equally far from both:
//   sums[x + 1] = sums[x] + (nodes - ahead - as_far) - ahead
std::vector<std::uint64_t> SumsAlong(std::span<const NodeCount> nodes_at,
                                     bool ring) {
  const std::size_t places = nodes_at.size();
  std::vector<std::uint64_t> sums(places, 0);
  if (places == 0) return sums;
  const std::uint64_t nodes =
      std::accumulate(nodes_at.begin(), nodes_at.end(), std::uint64_t{0});
  for (std::size_t x = 0; x < places; ++x) {
    sums[0] += nodes_at[x] * (ring ? std::min(x, places - x) : x);
  }
  const std::size_t reach = ring ? places / 2 : places - 1;
  std::uint64_t ahead = 0;
  for (std::size_t x = 1; x <= reach; ++x) ahead += nodes_at[x];
  for (std::size_t x = 0; x + 1 < places; ++x) {
    std::uint64_t as_far = 0;
    if (ring && places % 2 == 1) {
      as_far = nodes_at[(x + reach + 1) % places];
    }
    sums[x + 1] = sums[x] + (nodes - ahead - as_far) - ahead;
    ahead -= nodes_at[x + 1];
    if (ring) ahead += nodes_at[(x + 1 + reach) % places];
  }
  return sums;
}

}  // namespace coolspan
