// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_AVAILABILITY_H_
#define COOLSPAN_CORE_AVAILABILITY_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "core/node_set.h"
#include "core/room.h"
#include "core/shared_array.h"
#include "core/types.h"

namespace coolspan {

// By NodeId.
using UnitsByNode = SharedArray<Units, 4096>;
using LoadsByNode = SharedArray<NodeLoad, 2048>;

// What is free of each node and what jobs use of it: the part of the ledger
// that decisions read. A copy costs a few pointers for each thousand nodes.
struct Availability {
  NodeSet free_whole;   // nodes nobody holds any unit of
  NodeSet free_shared;  // nodes with at least one unit left
  NodeCount free_whole_count = 0;
  NodeCount free_shared_count = 0;
  UnitsByNode free_units;
  std::shared_ptr<const std::vector<Units>> capacity;  // by NodeId, each >= 1
  std::uint64_t total_units = 0;                       // of capacity
  LoadsByNode loads;                                   // empty: not tracked
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_AVAILABILITY_H_
