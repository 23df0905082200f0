// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_NODES_BY_VERTEX_H_
#define COOLSPAN_TOPOLOGY_NODES_BY_VERTEX_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "core/topology.h"

namespace coolspan {

// The nodes at each vertex of a network with uneven vertices: nodes are
// numbered vertex by vertex. Immutable, thread-safe.
class NodesByVertex {
 public:
  // counts: nodes of each vertex. REQUIRES at most kMaxVertices of them, and a
  // sum of at most that.
  explicit NodesByVertex(std::span<const NodeCount> counts);

  VertexId vertex_count() const {
    return static_cast<VertexId>(first_.size() - 1);
  }
  NodeCount node_count() const { return first_.back(); }
  VertexId VertexOf(NodeId node) const { return vertex_of_[node]; }
  Topology::NodeRange At(VertexId vertex) const {
    return {first_[vertex], first_[vertex + 1] - first_[vertex]};
  }

 private:
  std::vector<NodeId> first_;        // by vertex, plus the end
  std::vector<VertexId> vertex_of_;  // by node
};

// Base of topologies with such nodes.
class UnevenTopology : public Topology {
 public:
  NodeCount node_count() const final { return nodes_.node_count(); }
  VertexId vertex_count() const final { return nodes_.vertex_count(); }
  VertexId VertexOf(NodeId node) const final { return nodes_.VertexOf(node); }
  NodeRange NodesAt(VertexId vertex) const final { return nodes_.At(vertex); }

 protected:
  // As NodesByVertex.
  explicit UnevenTopology(std::span<const NodeCount> counts) : nodes_(counts) {}

 private:
  NodesByVertex nodes_;
};

// The number of nodes of a set that are at one vertex.
struct VertexShare {
  VertexId vertex;
  std::uint64_t nodes;
};

// The vertices of the nodes, ascending, each once. Nodes in ascending order
// cost O(nodes), others a sort.
std::vector<VertexShare> SharesOf(const Topology& topology,
                                  std::span<const NodeId> nodes);

// Sorts by vertex and merges the shares of each vertex.
void MergeShares(std::vector<VertexShare>& shares);

// The sum of distance(a, b) over unordered pairs of nodes at the vertices a and
// b. O(shares^2).
template <typename Distance>
std::uint64_t PairwiseTotalOfShares(std::span<const VertexShare> shares,
                                    const Distance& distance) {
  std::uint64_t total = 0;
  for (std::size_t i = 1; i < shares.size(); ++i) {
    std::uint64_t of_one = 0;
    for (std::size_t j = 0; j < i; ++j) {
      of_one += shares[j].nodes * distance(shares[i].vertex, shares[j].vertex);
    }
    total += shares[i].nodes * of_one;
  }
  return total;
}
// The same with the topology's distances.
std::uint64_t PairwiseTotalOfShares(const Topology& topology,
                                    std::span<const VertexShare> shares);

// INVALID_ARGUMENT unless there are at most kMaxVertices vertices and 1 to
// kMaxVertices nodes.
absl::Status CheckSize(std::uint64_t vertices, std::uint64_t nodes);

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_NODES_BY_VERTEX_H_
