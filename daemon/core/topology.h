// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_TOPOLOGY_H_
#define COOLSPAN_CORE_TOPOLOGY_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/blocks.h"
#include "core/switches.h"
#include "core/types.h"

namespace coolspan {

// The maximum number of vertices, and of nodes, of a machine: the sum of
// distances over all pairs of nodes fits in 64 bits.
inline constexpr VertexId kMaxVertices = VertexId{1} << 22;

// The coordinates of a mesh or torus. Row-major, x (dims[0]) fastest.
struct Grid {
  std::vector<std::uint32_t> dims;  // 1 to 6 entries, each at least 1
  std::vector<bool> wrap;           // as long as dims
  NodeCount nodes_per_vertex = 1;
  std::vector<VertexId> holes;  // ascending; vertices without nodes
  // Ascending by vertex: the vertices with at least one node, but fewer than
  // nodes_per_vertex.
  struct ShortVertex {
    VertexId vertex = 0;
    NodeCount nodes = 0;
    friend bool operator==(const ShortVertex&, const ShortVertex&) = default;
  };
  std::vector<ShortVertex> short_vertices = {};

  VertexId VertexCount() const;
  // The number of nodes at each vertex, in vertex order.
  std::vector<NodeCount> NodesOfVertices() const;
  // Writes dims.size() coordinates to out.
  void CoordinatesOf(VertexId vertex, std::span<std::uint32_t> out) const;
  VertexId VertexAt(std::span<const std::uint32_t> coordinates) const;
};

// Hop distances between nodes. Immutable and thread-safe.
class Topology {
 public:
  virtual ~Topology() = default;

  virtual std::string_view kind() const = 0;  // "mesh", "fat-tree", ...
  virtual NodeCount node_count() const = 0;
  // Vertices, including holes; VertexOf(node) < vertex_count().
  virtual VertexId vertex_count() const = 0;
  virtual VertexId VertexOf(NodeId node) const = 0;
  // The first node of the vertex and its number of nodes (0 for a hole); the
  // nodes of a vertex are consecutive.
  struct NodeRange {
    NodeId first;
    NodeCount count;
  };
  virtual NodeRange NodesAt(VertexId vertex) const = 0;

  // Hops between two vertices. Symmetric; 0 from a vertex to itself. O(1) or
  // O(d).
  virtual Hops VertexDistance(VertexId a, VertexId b) const = 0;
  // Hops between the vertices of two nodes; 0 on one vertex.
  Hops Distance(NodeId a, NodeId b) const {
    return VertexDistance(VertexOf(a), VertexOf(b));
  }
  // Appends the vertices one hop away; REQUIRES vertex < vertex_count().
  virtual void AppendNeighbours(VertexId vertex,
                                std::vector<VertexId>& out) const = 0;
  // Sum of Distance over unordered pairs of k nodes. Overridden where the
  // structure allows better than O(k^2).
  virtual std::uint64_t PairwiseTotal(std::span<const NodeId> nodes) const;

  // The coordinates, or nullptr if the topology has none.
  virtual const Grid* grid() const { return nullptr; }
  // The blocks, or nullptr if the topology has none.
  virtual const Blocks* blocks() const { return nullptr; }
  // The tree of switches, or nullptr if the topology is none. Blocks are one:
  // a switch for each block, of each size, and one above all.
  virtual const Switches* switches() const { return nullptr; }
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_TOPOLOGY_H_
