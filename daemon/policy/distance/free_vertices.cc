// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/distance/free_vertices.h"

#include <algorithm>
#include <optional>

namespace coolspan {

VertexPool FreeVertices(const Topology& topology, const Choice& choice) {
  VertexPool pool;
  choice.available.ForEach([&](NodeId node) {
    const VertexId vertex = topology.VertexOf(node);
    if (pool.vertices.empty() || pool.vertices.back() != vertex) {
      pool.Add(vertex, 0, 0);
    }
    ++pool.free.back();
    if (choice.required_count > 0 && choice.required.Contains(node)) {
      ++pool.required.back();
    }
  });
  return pool;
}

std::vector<NodeId> NodesAtVertices(const Topology& topology,
                                    const Choice& choice,
                                    const VertexPool& pool,
                                    const std::vector<NodeCount>& taken) {
  std::vector<NodeId> nodes;
  nodes.reserve(choice.nodes);
  for (std::size_t i = 0; i < pool.size(); ++i) {
    if (taken[i] == 0) continue;
    const Topology::NodeRange range = topology.NodesAt(pool.vertices[i]);
    NodeCount others = taken[i] - pool.required[i];
    for (NodeId node = range.first; node < range.first + range.count; ++node) {
      if (!choice.available.Contains(node)) continue;
      if (choice.required_count > 0 && choice.required.Contains(node)) {
        nodes.push_back(node);
      } else if (others > 0) {
        nodes.push_back(node);
        --others;
      }
    }
  }
  return nodes;
}

VertexSet MostCompactAround(const Topology& topology, const VertexPool& pool,
                            NodeCount nodes, std::size_t max_centres,
                            Budget& budget) {
  // Exchanges are tried only if the set is within this factor of the best.
  constexpr double kNear = 1.05;
  CompactSet set(topology, pool, nodes);
  std::optional<VertexSet> best;
  const std::size_t centres = std::min(max_centres, pool.size());
  const std::uint64_t work =
      set.TooLarge() ? set.NearestWork() : set.TakeWork();
  for (std::size_t i = 0; i < centres; ++i) {
    if (i > 0 && !budget.Spend(work)) break;
    const std::size_t centre = i * pool.size() / centres;
    if (set.TooLarge()) {
      set.TakeNearest(centre);
    } else {
      set.TakeAround({&centre, 1});
      set.Settle(budget);
      if (!best || static_cast<double>(set.total()) <
                       kNear * static_cast<double>(best->total)) {
        set.Improve(budget);
      }
    }
    if (!best || set.total() < best->total) best = {set.taken(), set.total()};
  }
  return *best;
}

}  // namespace coolspan
