// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/neighbours.h"

#include <algorithm>
#include <limits>

#include "policy/stream/stream_costs.h"

namespace coolspan {
namespace {

// Pairs of vertices that are listed at most; on denser networks neighbours one
// hop away are left out.
constexpr std::size_t kMaxPairs = std::size_t{1} << 24;
constexpr std::uint32_t kNoSwitch = std::numeric_limits<std::uint32_t>::max();

// The weight of a pair of nodes among so many neighbours. As many as a vertex
// of a two-dimensional mesh has weigh 1 each; larger groups weigh less, so that
// cutting a group of any size in half costs about the same.
double PairWeight(std::uint64_t nodes) {
  constexpr double kMeshNeighbours = 4;
  if (nodes == 0) return 0;
  const double weight = kMeshNeighbours / static_cast<double>(nodes);
  return std::min(1.0, weight * weight);
}

// The nodes of all vertices with nodes one hop from each switch without nodes,
// and the number of these vertices.
struct SwitchLoad {
  NodeCount vertices = 0;
  NodeCount nodes = 0;
};

std::vector<SwitchLoad> LoadOfSwitches(const Topology& topology) {
  std::vector<SwitchLoad> load(topology.vertex_count());
  std::vector<VertexId> beside;
  for (VertexId v = 0; v < topology.vertex_count(); ++v) {
    if (topology.NodesAt(v).count > 0) continue;
    beside.clear();
    topology.AppendNeighbours(v, beside);
    for (const VertexId other : beside) {
      const NodeCount nodes = topology.NodesAt(other).count;
      load[v].nodes += nodes;
      load[v].vertices += nodes > 0 ? 1 : 0;
    }
  }
  return load;
}

}  // namespace

Neighbours::Neighbours(const Topology& topology) {
  if (const Grid* grid = topology.grid()) {
    SetOnGrid(topology, *grid);
  } else {
    SetOnNetwork(topology);
  }
}

// Vertices without nodes are holes, not switches.
void Neighbours::SetOnGrid(const Topology& topology, const Grid& grid) {
  beside_weight_ = 1.0 / grid.nodes_per_vertex;
  own_weights_.assign(topology.vertex_count(),
                      double{kWithinVertex} / grid.nodes_per_vertex);
  std::vector<VertexId> around;
  for (VertexId v = 0; v < topology.vertex_count(); ++v) {
    around.clear();
    if (topology.NodesAt(v).count > 0) topology.AppendNeighbours(v, around);
    for (const VertexId other : around) {
      if (topology.NodesAt(other).count > 0) beside_.push_back(other);
    }
    first_beside_.push_back(beside_.size());
    first_switch_.push_back(0);
  }
}

void Neighbours::SetOnNetwork(const Topology& topology) {
  const VertexId vertices = topology.vertex_count();
  const std::vector<SwitchLoad> load = LoadOfSwitches(topology);
  std::vector<std::uint32_t> index(vertices, kNoSwitch);
  std::vector<VertexId> around;
  std::uint64_t max_beside = 0;  // nodes beside a vertex
  bool dense = false;
  for (VertexId v = 0; v < vertices; ++v) {
    const NodeCount nodes = topology.NodesAt(v).count;
    own_weights_.push_back(PairWeight(nodes));
    if (nodes > 0) {
      around.clear();
      topology.AppendNeighbours(v, around);
      std::uint64_t nodes_beside = 0;
      for (const VertexId other : around) {
        if (const NodeCount there = topology.NodesAt(other).count; there > 0) {
          nodes_beside += there;
          if (!dense) beside_.push_back(other);
          continue;
        }
        if (load[other].vertices < 2) continue;
        if (index[other] == kNoSwitch) {
          index[other] = switch_count();
          switch_weights_.push_back(PairWeight(load[other].nodes));
        }
        switches_.push_back(index[other]);
      }
      max_beside = std::max(max_beside, nodes_beside);
      dense = dense || beside_.size() > kMaxPairs;
    }
    first_beside_.push_back(beside_.size());
    first_switch_.push_back(switches_.size());
  }
  if (dense) {
    beside_.clear();
    first_beside_.assign(vertices + std::size_t{1}, 0);
  }
  beside_weight_ = PairWeight(max_beside);
}

}  // namespace coolspan
