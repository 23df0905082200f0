// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_PROPERTY_NAIVE_STREAM_H_
#define COOLSPAN_TESTS_PROPERTY_NAIVE_STREAM_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "core/topology.h"
#include "policy/distance/free_sites.h"
#include "policy/distance/grid_places.h"
#include "policy/stream/stream_costs.h"
#include "policy/stream/stream_found.h"
#include "policy/stream/stream_grid.h"

namespace coolspan {

// The search of the policy coolspan on a grid as its comments define it,
// without bounds: every centre is filled, distances and neighbours are those of
// the topology.
class NaiveStream {
 public:
  struct Found {
    std::int64_t score = std::numeric_limits<std::int64_t>::max();
    VertexId centre = 0;
    std::vector<NodeCount> chosen;  // by vertex
  };

  // busy_phi: by vertex, or empty.
  NaiveStream(const Topology& topology, const FreeSites& sites,
              const StreamScale& scale, std::vector<std::int32_t> busy_phi)
      : grid_(*topology.grid()),
        sites_(sites),
        scale_(scale),
        phi_(std::move(busy_phi)),
        required_(sites.capacity.size(), 0),
        beside_(sites.capacity.size()),
        hops_(sites.capacity.size() * sites.capacity.size()) {
    for (std::size_t v = 0; v < beside_.size(); ++v) {
      for (std::size_t w = 0; w < beside_.size(); ++w) {
        hops_[v * beside_.size() + w] = topology.VertexDistance(
            static_cast<VertexId>(v), static_cast<VertexId>(w));
      }
    }
    phi_.resize(sites.capacity.size(), 0);
    for (const VertexNodes& site : sites.required) {
      required_[site.vertex] = site.count;
    }
    for (VertexId v = 0; v < beside_.size(); ++v) {
      topology.AppendNeighbours(v, beside_[v]);
      at_.emplace_back(grid_.dims.size());
      grid_.CoordinatesOf(v, at_.back());
    }
  }

  // The score of the set of required and chosen nodes, from the definition:
  // pairs of nodes, and for each node of the set the phi of the nodes of its
  // vertex (twice) and of the neighbours that are not in the set.
  std::int64_t ScoreOf(const std::vector<NodeCount>& chosen) const {
    std::vector<NodeCount> set = required_;
    for (VertexId v = 0; v < set.size(); ++v) set[v] += chosen[v];
    std::int64_t total = 0;
    for (VertexId v = 0; v < set.size(); ++v) {
      for (VertexId w = 0; w < v && set[v] > 0; ++w) {
        if (set[w] == 0) continue;
        total += std::int64_t{set[v]} * set[w] * Hops(v, w);
      }
    }
    return scale_.per_hop * total + scale_.per_phi * Perimeter(set);
  }

  Found Search() const {
    Found best;
    const std::size_t shapes = std::size_t{1} << grid_.dims.size();
    for (VertexId centre = 0; centre < sites_.capacity.size(); ++centre) {
      // Bit d: boxes cover axis d. All of them: not a box with a centre.
      for (std::size_t covered = 0; covered + 1 < shapes; ++covered) {
        if (!IsCentre(centre, covered)) continue;
        Found found = Around(centre, covered);
        if (found.score < best.score) best = std::move(found);
      }
    }
    return best;
  }

 private:
  bool IsCentre(VertexId vertex, std::size_t covered) const {
    if (covered == 0) return sites_.capacity[vertex] > 0;
    std::uint64_t places = 1;
    for (std::size_t d = 0; d < grid_.dims.size(); ++d) {
      if ((covered >> d) % 2 == 0) continue;
      if (grid_.dims[d] < 4 || at_[vertex][d] > 0) return false;
      places *= grid_.dims[d];
    }
    return places * sites_.max_at_a_vertex <= sites_.wanted;
  }
  std::int64_t Perimeter(const std::vector<NodeCount>& set) const {
    std::int64_t sum = 0;
    for (VertexId v = 0; v < set.size(); ++v) {
      std::int64_t phi = 2 * PhiOf(v, set);
      for (const VertexId w : beside_[v]) phi += PhiOf(w, set);
      sum += set[v] * phi;
    }
    return sum;
  }
  // Of the nodes of a vertex that are not in the set.
  std::int64_t PhiOf(VertexId v, const std::vector<NodeCount>& set) const {
    const std::int64_t left =
        std::int64_t{sites_.capacity[v]} + required_[v] - std::int64_t{set[v]};
    return phi_[v] + kPhiUnit * left;
  }

  std::uint32_t Hops(VertexId v, VertexId w) const {
    return hops_[v * beside_.size() + w];
  }
  std::uint32_t Along(std::size_t d, std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t straight = a < b ? b - a : a - b;
    return grid_.wrap[d] ? std::min(straight, grid_.dims[d] - straight)
                         : straight;
  }
  std::uint32_t SurfaceOf(VertexId centre, std::size_t covered,
                          VertexId vertex) const {
    std::uint32_t surface = 0;
    for (std::size_t d = 0; d < grid_.dims.size(); ++d) {
      if ((covered >> d) % 2 == 1) continue;
      surface = std::max(surface, Along(d, at_[centre][d], at_[vertex][d]));
    }
    return surface;
  }
  // The vertices of a surface, row by row from its lower end on: on a ring, the
  // coordinate furthest to the left of the centre; 0 on a covered axis.
  std::vector<VertexId> Rows(VertexId centre, std::size_t covered,
                             std::uint32_t surface) const {
    std::vector<VertexId> rows;
    for (VertexId v = 0; v < sites_.capacity.size(); ++v) {
      if (SurfaceOf(centre, covered, v) == surface) rows.push_back(v);
    }
    const std::vector<std::uint32_t>& from = at_[centre];
    const auto place = [&](VertexId v) {
      std::vector<std::uint32_t> at = at_[v];
      for (std::size_t d = 0; d < at.size(); ++d) {
        if (!grid_.wrap[d] || (covered >> d) % 2 == 1) continue;
        const std::uint32_t left = std::min(surface, (grid_.dims[d] - 1) / 2);
        at[d] = (at[d] + 2 * grid_.dims[d] - from[d] + left) % grid_.dims[d];
      }
      std::reverse(at.begin(), at.end());
      return at;
    };
    std::sort(rows.begin(), rows.end(),
              [&](VertexId a, VertexId b) { return place(a) < place(b); });
    return rows;
  }

  Found Around(VertexId centre, std::size_t covered) const {
    Found found;
    found.centre = centre;
    found.chosen.assign(sites_.capacity.size(), 0);
    NodeCount missing = sites_.wanted;
    for (std::uint32_t surface = 0;; ++surface) {
      const std::vector<VertexId> rows = Rows(centre, covered, surface);
      NodeCount nodes = 0;
      for (const VertexId v : rows) nodes += sites_.capacity[v];
      if (nodes >= missing) {
        Fill(rows, missing, found.chosen);
        found.score = ScoreOf(found.chosen);
        return found;
      }
      missing -= nodes;
      for (const VertexId v : rows) found.chosen[v] = sites_.capacity[v];
    }
  }
  // Greedily by the score that as many nodes of a vertex as are missing add,
  // per node.
  void Fill(const std::vector<VertexId>& rows, NodeCount missing,
            std::vector<NodeCount>& chosen) const {
    while (missing > 0) {
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      VertexId next = 0;
      for (const VertexId v : rows) {
        if (chosen[v] > 0 || sites_.capacity[v] == 0) continue;
        const std::int64_t score = OfNode(v, missing, chosen);
        if (score < least) {
          least = score;
          next = v;
        }
      }
      const NodeCount count = std::min(missing, sites_.capacity[next]);
      chosen[next] = count;
      missing -= count;
    }
  }
  std::int64_t OfNode(VertexId vertex, NodeCount missing,
                      const std::vector<NodeCount>& chosen) const {
    const NodeCount count = std::min(missing, sites_.capacity[vertex]);
    std::int64_t hops = 0;
    for (VertexId v = 0; v < chosen.size(); ++v) {
      const std::int64_t there = chosen[v] + required_[v];
      if (there == 0) continue;
      hops += there * Hops(v, vertex);
    }
    std::int64_t phi =
        2 * (phi_[vertex] +
             std::int64_t{kPhiUnit} * (sites_.capacity[vertex] - count) -
             std::int64_t{kPhiUnit} * required_[vertex]);
    for (const VertexId w : beside_[vertex]) {
      const std::int64_t closed = chosen[w] + required_[w];
      phi += phi_[w] +
             kPhiUnit * (std::int64_t{sites_.capacity[w]} - chosen[w] - closed);
    }
    return scale_.per_hop * hops + scale_.per_phi * phi;
  }

  const Grid& grid_;
  const FreeSites& sites_;
  const StreamScale scale_;
  std::vector<std::int32_t> phi_;
  std::vector<NodeCount> required_;  // by vertex
  std::vector<std::vector<VertexId>> beside_;
  std::vector<std::uint32_t> hops_;             // of each pair of vertices
  std::vector<std::vector<std::uint32_t>> at_;  // coordinates
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_PROPERTY_NAIVE_STREAM_H_
