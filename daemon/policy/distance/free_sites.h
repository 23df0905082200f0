// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_DISTANCE_FREE_SITES_H_
#define COOLSPAN_POLICY_DISTANCE_FREE_SITES_H_

#include <cstdint>
#include <vector>

#include "core/topology.h"
#include "core/types.h"
#include "policy/place_demand.h"

namespace coolspan {

// A number of nodes of one vertex. They are at distance 0 from each other, so
// placement searches do not distinguish them.
struct VertexNodes {
  VertexId vertex;
  NodeCount count;
};

// A choice with its nodes counted by vertex, the input of placement searches.
struct FreeSites {
  FreeSites(const Topology& topology, const Choice& choice);

  // Required nodes, ascending by vertex; part of every answer.
  std::vector<VertexNodes> required;
  // By vertex: nodes that may be chosen, without the required ones.
  std::vector<NodeCount> capacity;
  std::vector<std::uint8_t> has_free;  // by vertex: 1 where capacity > 0
  NodeCount max_at_a_vertex = 0;
  NodeCount free_count = 0;  // sum of capacity
  NodeCount wanted = 0;      // nodes to choose besides the required ones
};

// The nodes of an answer: the required ones and, of each vertex, the chosen
// number of others with the smallest ids.
std::vector<NodeId> NodesOf(const Topology& topology, const Choice& choice,
                            const std::vector<VertexNodes>& chosen);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_FREE_SITES_H_
