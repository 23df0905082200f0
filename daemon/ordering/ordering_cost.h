// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ORDERING_ORDERING_COST_H_
#define COOLSPAN_ORDERING_ORDERING_COST_H_

#include <cstdint>
#include <span>

#include "core/topology.h"
#include "core/types.h"
#include "ordering/ordering.h"

namespace coolspan {

// Locality of a whole ordering. A step is the hop distance between consecutive
// ranks. locality_cost (cpa-rd100-cplant-bender, section 2.2):
//   sum over pairs of ranks a < b of w(b - a) * d(node at a, node at b),
//   w(k) = 2^-k for k = 1..32, else 0.
// The ring form takes rank differences around the ring, min(b - a, n - (b -
// a)).
inline constexpr std::uint32_t kLocalityReach = 32;
struct OrderingCost {
  Hops max_step = 0;
  double mean_step = 0;
  double locality_cost = 0;
  double locality_cost_ring = 0;
};
// ranked: every node once, in rank order.
OrderingCost MeasureOrdering(const Topology& topology,
                             std::span<const NodeId> ranked);
inline OrderingCost MeasureOrdering(const Topology& topology,
                                    const Ordering& ordering) {
  return MeasureOrdering(topology, ordering.nodes());
}

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_ORDERING_COST_H_
