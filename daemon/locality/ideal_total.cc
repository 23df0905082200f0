// SPDX-License-Identifier: GPL-3.0-or-later
#include "locality/ideal_total.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "locality/compact_boxes.h"
#include "locality/compact_set.h"

namespace coolspan {
namespace {

constexpr std::uint64_t kNotKnown = std::numeric_limits<std::uint64_t>::max();
// About a tenth of a second.
constexpr std::uint64_t kWork = 20'000'000;
constexpr std::size_t kMaxCentres = 64;
constexpr std::size_t kMaxBoxes = 8;
constexpr int kMaxMoves = 150;
// Candidates are the nearest vertices with this many times the nodes.
constexpr std::uint64_t kPoolFactor = 4;

// The vertices nearest to the centre with at least `nodes` nodes in total.
VertexPool NearestVertices(const Topology& topology,
                           const std::vector<VertexId>& vertices,
                           VertexId centre, std::uint64_t nodes) {
  std::vector<std::pair<Hops, VertexId>> near;
  near.reserve(vertices.size());
  for (const VertexId vertex : vertices) {
    near.emplace_back(topology.VertexDistance(centre, vertex), vertex);
  }
  // Each vertex has at least one node.
  if (nodes < near.size()) {
    const auto end = near.begin() + static_cast<std::ptrdiff_t>(nodes);
    std::nth_element(near.begin(), end, near.end());
    near.erase(end, near.end());
  }
  std::sort(near.begin(), near.end());
  std::vector<VertexId> chosen;
  std::uint64_t found = 0;
  for (const auto& [hops, vertex] : near) {
    if (found >= nodes) break;
    chosen.push_back(vertex);
    found += topology.NodesAt(vertex).count;
  }
  std::sort(chosen.begin(), chosen.end());
  VertexPool pool;
  for (const VertexId vertex : chosen) {
    pool.Add(vertex, topology.NodesAt(vertex).count, 0);
  }
  return pool;
}

// A box around the centre with all vertices of compact shapes of that many
// nodes. Listing a box is faster than sorting all vertices by distance.
std::vector<VertexId> CandidateBox(const Grid& grid, VertexId centre,
                                   std::uint64_t nodes) {
  std::vector<std::uint32_t> extents(grid.dims.size(), 1);
  const std::uint64_t needed = nodes << grid.dims.size();
  for (bool grown = true; grown;) {
    std::uint64_t capacity = grid.nodes_per_vertex;
    for (const std::uint32_t extent : extents) capacity *= extent;
    grown = false;
    for (std::size_t d = 0; capacity < needed && d < extents.size(); ++d) {
      if (extents[d] == grid.dims[d]) continue;
      ++extents[d];
      grown = true;
    }
  }
  return BoxAround(grid, centre, extents);
}

// Possible middles of shapes at a vertex: the vertex itself, and on grids the
// edges, faces, cubes, ... with it as their lowest corner, elsewhere pairs with
// a neighbour.
std::vector<std::vector<VertexId>> MiddlesAt(const Topology& topology,
                                             VertexId centre) {
  std::vector<std::vector<VertexId>> middles = {{centre}};
  const Grid* grid = topology.grid();
  if (grid == nullptr) {
    std::vector<VertexId> neighbours;
    topology.AppendNeighbours(centre, neighbours);
    std::sort(neighbours.begin(), neighbours.end());
    constexpr std::size_t kMaxNeighbours = 8;
    if (neighbours.size() > kMaxNeighbours) neighbours.resize(kMaxNeighbours);
    for (const VertexId neighbour : neighbours) {
      middles.push_back({centre, neighbour});
    }
    return middles;
  }
  std::vector<std::uint32_t> at(grid->dims.size());
  for (std::size_t d = 0; d < at.size(); ++d) {
    const std::size_t before = middles.size();
    for (std::size_t m = 0; m < before; ++m) {
      std::vector<VertexId> longer = middles[m];
      for (const VertexId corner : middles[m]) {
        grid->CoordinatesOf(corner, at);
        if (at[d] + 1 == grid->dims[d] && !grid->wrap[d]) break;
        at[d] = (at[d] + 1) % grid->dims[d];
        longer.push_back(grid->VertexAt(at));
      }
      if (longer.size() == 2 * middles[m].size()) middles.push_back(longer);
    }
  }
  return middles;
}

}  // namespace

IdealTotals::IdealTotals(const Topology& topology)
    : topology_(topology), totals_(topology.node_count() + std::size_t{1}) {
  for (std::atomic<std::uint64_t>& total : totals_) total = kNotKnown;
  for (VertexId v = 0; v < topology.vertex_count(); ++v) {
    const NodeCount nodes = topology.NodesAt(v).count;
    max_vertex_nodes_ = std::max(max_vertex_nodes_, nodes);
    if (nodes > 0) vertices_.push_back(v);
  }
}

std::uint64_t IdealTotals::For(NodeCount nodes) {
  std::uint64_t total = totals_[nodes].load(std::memory_order_relaxed);
  if (total == kNotKnown) {
    total = Find(nodes);
    totals_[nodes].store(total, std::memory_order_relaxed);
  }
  return total;
}

std::uint64_t IdealTotals::Find(NodeCount nodes) const {
  if (nodes <= max_vertex_nodes_) return 0;
  Budget budget(kWork);
  std::uint64_t best = kNotKnown;
  for (const VertexId centre : Centres()) {
    if (best != kNotKnown && !budget.Spend(vertices_.size())) break;
    best = std::min(best, BestAround(centre, nodes, budget));
  }
  if (topology_.grid() != nullptr) return best;
  // Whole groups and subtrees, which extend further than the nearest vertices.
  std::vector<NodeId> first(nodes);
  std::iota(first.begin(), first.end(), NodeId{0});
  return std::min(best, topology_.PairwiseTotal(first));
}

// On a grid of equal vertices a shape that fits anywhere fits around the
// middle.
std::vector<VertexId> IdealTotals::Centres() const {
  const Grid* grid = topology_.grid();
  if (grid != nullptr && grid->holes.empty() && grid->short_vertices.empty()) {
    std::vector<std::uint32_t> middle;
    for (const std::uint32_t extent : grid->dims) {
      middle.push_back((extent - 1) / 2);
    }
    return {grid->VertexAt(middle)};
  }
  std::vector<VertexId> centres;
  const std::size_t count = std::min(kMaxCentres, vertices_.size());
  for (std::size_t i = 0; i < count; ++i) {
    centres.push_back(vertices_[i * vertices_.size() / count]);
  }
  return centres;
}

std::uint64_t IdealTotals::BestAround(VertexId centre, NodeCount nodes,
                                      Budget& budget) const {
  const Grid* grid = topology_.grid();
  const VertexPool pool =
      NearestVertices(topology_,
                      grid != nullptr && grid->holes.empty()
                          ? CandidateBox(*grid, centre, kPoolFactor * nodes)
                          : vertices_,
                      centre, kPoolFactor * nodes);
  const auto places_of = [&pool](const std::vector<VertexId>& vertices) {
    std::vector<std::size_t> places;
    for (const VertexId vertex : vertices) {
      const auto at =
          std::lower_bound(pool.vertices.begin(), pool.vertices.end(), vertex);
      if (at != pool.vertices.end() && *at == vertex) {
        places.push_back(static_cast<std::size_t>(at - pool.vertices.begin()));
      }
    }
    return places;
  };
  CompactSet set(topology_, pool, nodes);
  if (set.TooLarge()) {
    // Other centres would cost as much: end the search if the budget is spent.
    if (!budget.Spend(set.NearestWork())) budget = Budget(0);
    set.TakeNearest(places_of({centre}).front());
    return set.total();
  }
  std::uint64_t best = kNotKnown;
  std::vector<NodeCount> best_taken;
  const auto improve = [&] {
    set.Improve(budget);
    if (set.total() >= best) return;
    best = set.total();
    best_taken = set.taken();
  };
  for (const std::vector<VertexId>& middle : MiddlesAt(topology_, centre)) {
    if (best != kNotKnown && !budget.Spend(set.TakeWork())) return best;
    set.TakeAround(places_of(middle));
    improve();
  }
  if (grid != nullptr) {
    const std::uint64_t vertices =
        (nodes + grid->nodes_per_vertex - 1) / grid->nodes_per_vertex;
    for (const std::vector<std::uint32_t>& box :
         CompactBoxes(*grid, vertices, kMaxBoxes)) {
      if (!budget.Spend(set.TakeWork())) return best;
      set.TakeInside(places_of(BoxAround(*grid, centre, box)));
      improve();
    }
  }
  set.Take(std::move(best_taken));
  set.Wander(kMaxMoves, budget);
  return set.total();
}

}  // namespace coolspan
