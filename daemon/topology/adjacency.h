// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_ADJACENCY_H_
#define COOLSPAN_TOPOLOGY_ADJACENCY_H_

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/types.h"
#include "topology/hop_table.h"

namespace coolspan {

// The neighbours of each vertex of a graph, ascending, each once.
class Adjacency {
 public:
  // links: in either direction, repetitions allowed; links from a vertex to
  // itself are ignored. REQUIRES both ends < vertices.
  Adjacency(VertexId vertices,
            std::span<const std::pair<VertexId, VertexId>> links);

  VertexId vertex_count() const {
    return static_cast<VertexId>(first_.size() - 1);
  }
  std::span<const VertexId> Of(VertexId vertex) const {
    return std::span(neighbours_)
        .subspan(first_[vertex], first_[vertex + 1] - first_[vertex]);
  }

 private:
  std::vector<std::size_t> first_;  // by vertex, plus the end
  std::vector<VertexId> neighbours_;
};

// Not connected.
inline constexpr Hops kApart = ~Hops{0};

// Hops from one vertex to all others by breadth-first search.
// O(vertices + links).
std::vector<Hops> HopsFrom(const Adjacency& graph, VertexId start);

// Hops between all pairs, by 64 breadth-first searches at a time with a bit for
// each (Then et al., "The more the merrier: efficient multi-source graph
// traversal", 2015).
// REQUIRES a connected graph of at most kMaxTableVertices vertices.
HopTable AllHops(const Adjacency& graph);

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_ADJACENCY_H_
