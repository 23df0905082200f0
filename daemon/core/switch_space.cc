// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/switch_space.h"

#include <algorithm>

namespace coolspan {

SwitchSpace SwitchSpaceOf(const Topology& topology,
                          std::span<const NodeCount> free_at) {
  const std::vector<VertexId>& parent = topology.switches()->parent;
  struct Below {
    NodeCount nodes = 0;
    NodeCount free = 0;
    std::uint32_t level = 0;
  };
  std::vector<Below> below(parent.size());
  SwitchSpace space;
  // A switch comes after all those below it.
  for (VertexId v = 0; v < parent.size(); ++v) {
    Below& own = below[v];
    own.nodes += topology.NodesAt(v).count;
    own.free += free_at[v];
    const bool is_top = parent[v] == v;
    if (own.nodes > 0 && (!is_top || parent.size() == 1)) {
      if (space.levels.size() <= own.level) space.levels.resize(own.level + 1);
      SwitchSpace::Level& level = space.levels[own.level];
      level.idle += own.free == own.nodes ? 1 : 0;
      level.largest = std::max(level.largest, own.free);
    }
    if (is_top) continue;
    Below& above = below[parent[v]];
    above.nodes += own.nodes;
    above.free += own.free;
    above.level = std::max(above.level, own.level + 1);
  }
  return space;
}

}  // namespace coolspan
