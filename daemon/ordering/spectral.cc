// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "ordering/curves.h"
#include "ordering/fiedler.h"
#include "ordering/local_search.h"

// Recursive spectral bisection: vertices are sorted by the Fiedler vector of
// their graph and cut at the largest gap away from the ends; the part nearer to
// the last ordered vertex is ordered first, both in the same way. Parts of up
// to kMaxWalked vertices are ordered by walking to the nearest vertex each
// time. Sorting alone would follow the diagonals of a square mesh.
//
// Parts that are not connected are ordered component by component, by lowest
// vertex. So are vertices without any links, such as leaf switches without a
// root, where the vertex numbers are the only known structure.

namespace coolspan {
namespace {

constexpr std::size_t kMaxWalked = 24;

// Work of the local search in distances; about three seconds at most.
constexpr std::uint64_t kWorkPerNode = std::uint64_t{1} << 17;
constexpr std::uint64_t kMaxWork = std::uint64_t{1} << 28;
constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();

class SpectralOrder {
 public:
  explicit SpectralOrder(const Topology& topology)
      : topology_(topology), place_(topology.vertex_count(), kAbsent) {
    ordered_.reserve(topology.vertex_count());
  }

  std::vector<VertexId> Vertices() && {
    std::vector<VertexId> all(topology_.vertex_count());
    std::iota(all.begin(), all.end(), VertexId{0});
    Order(all);
    return std::move(ordered_);
  }

 private:
  using Part = std::span<VertexId>;

  void Order(Part part);
  void OrderConnected(Part part);
  void OrderNearerFirst(Part low, Part high);
  void Walk(Part part);
  std::vector<std::vector<VertexId>> Components(Part part);
  WeightedGraph GraphOf(Part part);
  std::size_t SortAndCut(Part part);
  // Minimum, then mean distance of the part to the last ordered vertex.
  std::pair<Hops, std::uint64_t> Nearness(Part part) const;

  const Topology& topology_;
  std::vector<std::uint32_t> place_;  // by vertex: index in the current part
  std::vector<VertexId> neighbours_;
  std::vector<VertexId> ordered_;  // vertices with nodes
};

std::vector<std::vector<VertexId>> SpectralOrder::Components(Part part) {
  std::sort(part.begin(), part.end());
  for (const VertexId vertex : part) place_[vertex] = 0;
  std::vector<std::vector<VertexId>> components;
  for (const VertexId first : part) {
    if (place_[first] == kAbsent) continue;
    std::vector<VertexId>& reached = components.emplace_back();
    reached.push_back(first);
    place_[first] = kAbsent;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      neighbours_.clear();
      topology_.AppendNeighbours(reached[i], neighbours_);
      for (const VertexId next : neighbours_) {
        if (place_[next] == kAbsent) continue;
        place_[next] = kAbsent;
        reached.push_back(next);
      }
    }
  }
  return components;
}

WeightedGraph SpectralOrder::GraphOf(Part part) {
  WeightedGraph graph;
  for (const VertexId vertex : part) place_[vertex] = graph.vertices++;
  for (const VertexId vertex : part) {
    neighbours_.clear();
    topology_.AppendNeighbours(vertex, neighbours_);
    for (const VertexId other : neighbours_) {
      if (place_[other] == kAbsent || other <= vertex) continue;
      graph.edges.push_back({place_[vertex], place_[other], 1.0});
    }
  }
  for (const VertexId vertex : part) place_[vertex] = kAbsent;
  return graph;
}

// Values that differ only by rounding count as equal. Vertices with equal
// values keep their order, which follows space on most machines.
std::size_t SpectralOrder::SortAndCut(Part part) {
  std::sort(part.begin(), part.end());
  const std::vector<double> values = FiedlerVector(GraphOf(part));
  std::vector<std::uint32_t> by_value(part.size());
  std::iota(by_value.begin(), by_value.end(), 0U);
  std::sort(by_value.begin(), by_value.end(),
            [&](std::uint32_t a, std::uint32_t b) {
              return std::pair(values[a], a) < std::pair(values[b], b);
            });
  const double same =
      1e-6 * (values[by_value.back()] - values[by_value.front()]);
  const std::size_t size = part.size();
  std::size_t cut = size / 2;
  double widest = 0;
  std::size_t run = 0;
  for (std::size_t i = 1; i <= size; ++i) {
    const double gap =
        i < size ? values[by_value[i]] - values[by_value[i - 1]] : same + 1;
    if (gap <= same) continue;
    std::sort(by_value.begin() + static_cast<std::ptrdiff_t>(run),
              by_value.begin() + static_cast<std::ptrdiff_t>(i));
    run = i;
    const auto smaller = static_cast<double>(std::min(i, size - i));
    const double score = gap * smaller;
    if (i < size && 4 * std::min(i, size - i) >= size && score > widest) {
      widest = score;
      cut = i;
    }
  }
  std::vector<VertexId> sorted;
  sorted.reserve(size);
  for (const std::uint32_t i : by_value) sorted.push_back(part[i]);
  std::copy(sorted.begin(), sorted.end(), part.begin());
  return cut;
}

std::pair<Hops, std::uint64_t> SpectralOrder::Nearness(Part part) const {
  Hops nearest = std::numeric_limits<Hops>::max();
  std::uint64_t sum = 0;
  for (const VertexId vertex : part) {
    const Hops hops = topology_.VertexDistance(ordered_.back(), vertex);
    nearest = std::min(nearest, hops);
    sum += hops;
  }
  return {nearest, sum / part.size()};
}

void SpectralOrder::OrderNearerFirst(Part low, Part high) {
  if (!ordered_.empty() && Nearness(high) < Nearness(low)) std::swap(low, high);
  Order(low);
  Order(high);
}

// Each step goes to the nearest remaining vertex; of several, to the one with
// the fewest remaining neighbours, so that no vertex is left isolated.
void SpectralOrder::Walk(Part part) {
  std::vector<VertexId> left;
  for (const VertexId vertex : part) {
    if (topology_.NodesAt(vertex).count > 0) left.push_back(vertex);
  }
  while (!left.empty()) {
    std::size_t best = 0;
    std::pair<Hops, std::size_t> best_key = {0, 0};
    for (std::size_t i = 0; i < left.size(); ++i) {
      const Hops hops =
          ordered_.empty() ? 0
                           : topology_.VertexDistance(ordered_.back(), left[i]);
      std::size_t beside = 0;
      for (const VertexId other : left) {
        beside += topology_.VertexDistance(left[i], other) == 1 ? 1U : 0U;
      }
      const std::pair<Hops, std::size_t> key = {hops, beside};
      if (i == 0 || key < best_key) {
        best = i;
        best_key = key;
      }
    }
    ordered_.push_back(left[best]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
  }
}

void SpectralOrder::OrderConnected(Part part) {
  if (part.size() <= kMaxWalked) {
    Walk(part);
    return;
  }
  const std::size_t cut = SortAndCut(part);
  OrderNearerFirst(part.first(cut), part.subspan(cut));
}

void SpectralOrder::Order(Part part) {
  std::vector<std::vector<VertexId>> components = Components(part);
  for (std::vector<VertexId>& component : components) {
    OrderConnected(component);
  }
}

}  // namespace

absl::StatusOr<OrderedNodes> SpectralNodes(const Machine& machine,
                                           std::string_view /*argument*/) {
  const Topology& topology = machine.topology();
  const std::vector<NodeId> nodes =
      NodesOfVertices(topology, SpectralOrder(topology).Vertices());
  const std::vector<VertexId> improved = ImproveLocality(
      topology, VerticesAtRanks(topology, nodes),
      {.distances = std::min(kMaxWork, nodes.size() * kWorkPerNode)});
  return NodesAtRanks(topology, improved);
}

}  // namespace coolspan
