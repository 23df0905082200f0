// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/free_space_status.h"

#include <vector>

#include "core/switch_space.h"
#include "locality/interval_space.h"
#include "locality/largest_box.h"

namespace coolspan {
namespace {

constexpr VertexId kMaxBoxVertices = 16'384;

std::vector<NodeCount> FreeByVertex(const Topology& topology,
                                    const NodeSet& free) {
  std::vector<NodeCount> free_at(topology.vertex_count(), 0);
  free.ForEach([&](NodeId node) { ++free_at[topology.VertexOf(node)]; });
  return free_at;
}

}  // namespace

void FillFreeSpace(const Topology& topology, const Ordering& ordering,
                   const NodeSet& free, v1::ClusterStatus::FreeSpace& space) {
  const IntervalSpace intervals = IntervalSpaceOf(ordering, free);
  space.set_intervals(intervals.count);
  space.set_largest_interval(intervals.largest);
  if (topology.grid() != nullptr &&
      topology.vertex_count() <= kMaxBoxVertices) {
    space.set_largest_box(
        LargestFreeBox(topology, FreeByVertex(topology, free)));
    space.set_one_node_per_vertex(topology.grid()->nodes_per_vertex == 1);
  }
  if (topology.switches() == nullptr) return;
  const SwitchSpace of_switches =
      SwitchSpaceOf(topology, FreeByVertex(topology, free));
  for (const SwitchSpace::Level& level : of_switches.levels) {
    space.add_idle_switches(level.idle);
    space.add_largest_switch(level.largest);
  }
}

}  // namespace coolspan
