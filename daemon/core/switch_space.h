// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_SWITCH_SPACE_H_
#define COOLSPAN_CORE_SWITCH_SPACE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/topology.h"
#include "core/types.h"

namespace coolspan {

// What the free nodes of a tree are left for: jobs below one switch.
struct SwitchSpace {
  struct Level {
    std::uint32_t idle = 0;  // switches of which all nodes are free
    NodeCount largest = 0;   // free nodes below the switch that has most

    friend bool operator==(const Level&, const Level&) = default;
  };
  // 0: leaf switches; a switch is one level above the highest below it. Up to
  // that below the top, below which all nodes are; the top alone is a leaf.
  std::vector<Level> levels;

  friend bool operator==(const SwitchSpace&, const SwitchSpace&) = default;
};

// free_at: the free nodes at each vertex. O(switches). REQUIRES
// topology.switches(); switches without nodes are not counted.
SwitchSpace SwitchSpaceOf(const Topology& topology,
                          std::span<const NodeCount> free_at);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_SWITCH_SPACE_H_
