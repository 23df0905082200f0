// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_LOCALITY_INTERVAL_SPACE_H_
#define COOLSPAN_LOCALITY_INTERVAL_SPACE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/node_set.h"
#include "core/types.h"
#include "ordering/ordering.h"

namespace coolspan {

// The intervals (maximal runs of free ranks) of an ordering.
struct IntervalSpace {
  // The number of those of 2^i to 2^(i+1) - 1 nodes; as many entries as the
  // longest one needs.
  std::vector<std::uint32_t> by_length;
  std::uint32_t count = 0;
  NodeCount largest = 0;  // nodes of the longest one
};

// free_ranks: a bit for each rank, from the lowest of the first word on; 1:
// free. O(words + intervals).
IntervalSpace IntervalSpaceOf(std::span<const std::uint64_t> free_ranks);

// The same of the free nodes. O(nodes).
IntervalSpace IntervalSpaceOf(const Ordering& ordering, const NodeSet& free);

}  // namespace coolspan

#endif  // COOLSPAN_LOCALITY_INTERVAL_SPACE_H_
