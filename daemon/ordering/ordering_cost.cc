// SPDX-License-Identifier: GPL-3.0-or-later
#include "ordering/ordering_cost.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace coolspan {

OrderingCost MeasureOrdering(const Topology& topology,
                             std::span<const NodeId> nodes) {
  const std::size_t n = nodes.size();
  OrderingCost cost;
  // Sums of hops between ranks that differ by k, on the line, and around the
  // end of the ring.
  std::array<std::uint64_t, kLocalityReach + 1> hops{};
  std::array<std::uint64_t, kLocalityReach + 1> hops_around{};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 1; k <= kLocalityReach && k < n; ++k) {
      if (i + k < n) {
        const Hops distance = topology.Distance(nodes[i], nodes[i + k]);
        hops[k] += distance;
        if (k == 1) cost.max_step = std::max(cost.max_step, distance);
      } else {
        hops_around[k] += topology.Distance(nodes[i], nodes[i + k - n]);
      }
    }
  }
  if (n > 1) {
    cost.mean_step = static_cast<double>(hops[1]) / static_cast<double>(n - 1);
  }
  for (std::size_t k = 1; k <= kLocalityReach && k < n; ++k) {
    const double weight = std::ldexp(1.0, -static_cast<int>(k));
    cost.locality_cost += weight * static_cast<double>(hops[k]);
    // At half the ring both directions are the same pairs, all of them in hops.
    if (2 * k > n) continue;
    const std::uint64_t around = 2 * k == n ? 0 : hops_around[k];
    cost.locality_cost_ring += weight * static_cast<double>(hops[k] + around);
  }
  return cost;
}

}  // namespace coolspan
