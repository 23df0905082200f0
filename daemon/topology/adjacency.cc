// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/adjacency.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

namespace coolspan {
namespace {

constexpr VertexId kSearches = 64;

// Breadth-first searches from the vertices [first, end) at once; bit i of a
// mask belongs to the search from first + i.
void SearchFrom(const Adjacency& graph, VertexId first, VertexId end,
                HopTable& hops) {
  const VertexId vertices = graph.vertex_count();
  std::vector<std::uint64_t> seen(vertices, 0);
  std::vector<std::uint64_t> here(vertices, 0);
  std::vector<std::uint64_t> next(vertices, 0);
  for (VertexId start = first; start < end; ++start) {
    seen[start] = here[start] = std::uint64_t{1} << (start - first);
  }
  bool any_reached = true;
  for (Hops level = 1; any_reached; ++level) {
    for (VertexId v = 0; v < vertices; ++v) {
      if (here[v] == 0) continue;
      for (const VertexId other : graph.Of(v)) next[other] |= here[v];
    }
    any_reached = false;
    for (VertexId v = 0; v < vertices; ++v) {
      here[v] = next[v] & ~seen[v];
      next[v] = 0;
      seen[v] |= here[v];
      any_reached = any_reached || here[v] != 0;
      for (std::uint64_t left = here[v]; left != 0; left &= left - 1) {
        const auto search = static_cast<VertexId>(std::countr_zero(left));
        hops.Set(first + search, v, level);
      }
    }
  }
}

}  // namespace

Adjacency::Adjacency(VertexId vertices,
                     std::span<const std::pair<VertexId, VertexId>> links)
    : first_(std::size_t{vertices} + 1, 0) {
  for (const auto& [a, b] : links) {
    if (a == b) continue;
    ++first_[std::size_t{a} + 1];
    ++first_[std::size_t{b} + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  neighbours_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (const auto& [a, b] : links) {
    if (a == b) continue;
    neighbours_[next[a]++] = b;
    neighbours_[next[b]++] = a;
  }
  std::size_t kept = 0;
  for (VertexId v = 0; v < vertices; ++v) {
    const auto begin =
        neighbours_.begin() + static_cast<std::ptrdiff_t>(first_[v]);
    const auto end =
        neighbours_.begin() + static_cast<std::ptrdiff_t>(first_[v + 1]);
    std::sort(begin, end);
    const auto last = std::unique(begin, end);
    first_[v] = kept;
    std::copy(begin, last,
              neighbours_.begin() + static_cast<std::ptrdiff_t>(kept));
    kept += static_cast<std::size_t>(last - begin);
  }
  first_[vertices] = kept;
  neighbours_.resize(kept);
  neighbours_.shrink_to_fit();
}

std::vector<Hops> HopsFrom(const Adjacency& graph, VertexId start) {
  std::vector<Hops> hops(graph.vertex_count(), kApart);
  std::vector<VertexId> reached = {start};
  reached.reserve(graph.vertex_count());
  hops[start] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const VertexId other : graph.Of(reached[i])) {
      if (hops[other] != kApart) continue;
      hops[other] = hops[reached[i]] + 1;
      reached.push_back(other);
    }
  }
  return hops;
}

HopTable AllHops(const Adjacency& graph) {
  const VertexId vertices = graph.vertex_count();
  // An upper bound on all shortest paths: twice the longest one from a vertex.
  const std::vector<Hops> from_first = HopsFrom(graph, 0);
  const Hops longest = std::min(
      2 * *std::max_element(from_first.begin(), from_first.end()), vertices);
  HopTable hops(vertices, longest);
  for (VertexId first = 0; first < vertices; first += kSearches) {
    SearchFrom(graph, first, std::min(first + kSearches, vertices), hops);
  }
  return hops;
}

}  // namespace coolspan
