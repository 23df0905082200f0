// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_TOPOLOGY_TOPOLOGY_ORACLE_H_
#define COOLSPAN_TESTS_UNIT_TOPOLOGY_TOPOLOGY_ORACLE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "core/topology.h"

namespace coolspan {

inline std::uint32_t Below(std::mt19937& random, std::uint32_t bound) {
  return static_cast<std::uint32_t>(random() % bound);
}

// Breadth-first search over AppendNeighbours alone; ~0 if not connected.
inline std::vector<Hops> SearchedHops(const Topology& topology,
                                      VertexId start) {
  std::vector<Hops> hops(topology.vertex_count(), ~Hops{0});
  std::vector<VertexId> reached = {start};
  hops[start] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const VertexId here = reached[i];
    std::vector<VertexId> neighbours;
    topology.AppendNeighbours(here, neighbours);
    for (const VertexId next : neighbours) {
      if (hops[next] != ~Hops{0}) continue;
      hops[next] = hops[here] + 1;
      reached.push_back(next);
    }
  }
  return hops;
}

// By the definition, pair by pair.
inline std::uint64_t SummedPairs(const Topology& topology,
                                 const std::vector<NodeId>& nodes) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      total += topology.Distance(nodes[i], nodes[j]);
    }
  }
  return total;
}

// Up to count different nodes in random order.
inline std::vector<NodeId> RandomNodes(const Topology& topology,
                                       std::size_t count,
                                       std::mt19937& random) {
  std::vector<NodeId> nodes(topology.node_count());
  for (NodeId node = 0; node < nodes.size(); ++node) nodes[node] = node;
  std::shuffle(nodes.begin(), nodes.end(), random);
  nodes.resize(std::min(count, nodes.size()));
  return nodes;
}

// Checks the contract of core/topology.h for networks with neighbours at one
// hop: nodes numbered by vertex, links in both directions, distances of
// shortest paths, sums over pairs. searches: number of vertices to search from.
inline void ExpectConsistent(const Topology& topology, VertexId searches = ~0U,
                             unsigned seed = 1) {
  std::mt19937 random(seed);
  NodeId next = 0;
  for (VertexId v = 0; v < topology.vertex_count(); ++v) {
    const Topology::NodeRange range = topology.NodesAt(v);
    if (range.count == 0) continue;
    ASSERT_EQ(range.first, next);
    for (NodeCount i = 0; i < range.count; ++i) {
      ASSERT_EQ(topology.VertexOf(range.first + i), v);
    }
    next += range.count;
  }
  ASSERT_EQ(next, topology.node_count());

  for (VertexId v = 0; v < topology.vertex_count(); ++v) {
    std::vector<VertexId> neighbours;
    topology.AppendNeighbours(v, neighbours);
    std::sort(neighbours.begin(), neighbours.end());
    ASSERT_EQ(std::adjacent_find(neighbours.begin(), neighbours.end()),
              neighbours.end());
    for (const VertexId other : neighbours) {
      std::vector<VertexId> back;
      topology.AppendNeighbours(other, back);
      ASSERT_EQ(std::count(back.begin(), back.end(), v), 1);
    }
  }

  const VertexId count = std::min(searches, topology.vertex_count());
  for (VertexId i = 0; i < count; ++i) {
    const VertexId start = count == topology.vertex_count()
                               ? i
                               : Below(random, topology.vertex_count());
    const std::vector<Hops> hops = SearchedHops(topology, start);
    for (VertexId v = 0; v < topology.vertex_count(); ++v) {
      ASSERT_EQ(topology.VertexDistance(start, v), hops[v])
          << start << " to " << v;
      ASSERT_EQ(topology.VertexDistance(v, start), hops[v]);
    }
  }
  for (const std::size_t k : {0U, 1U, 2U, 3U, 7U, 40U, 300U, 3000U}) {
    const std::vector<NodeId> nodes = RandomNodes(topology, k, random);
    ASSERT_EQ(topology.PairwiseTotal(nodes), SummedPairs(topology, nodes))
        << k << " nodes";
  }
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_TOPOLOGY_TOPOLOGY_ORACLE_H_
