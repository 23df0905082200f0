// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/stream_grid.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace coolspan {

StreamGrid::StreamGrid(const GridPlaces& places_on_grid,
                       const StreamCosts& costs)
    : places(places_on_grid), sites(*places_on_grid.sites) {
  nodes = sites.wanted;
  for (const VertexNodes& site : sites.required) nodes += site.count;
  for (const GridAxis& axis : places.axes) has_ring = has_ring || axis.wrap;
  SetPhi(costs.busy_phi);
  SetScale(costs);
}

void StreamGrid::SetPhi(std::span<const std::int32_t> phi) {
  const auto vertices = static_cast<VertexId>(sites.capacity.size());
  // One more entry stands for the neighbours that a vertex at a wall lacks.
  std::vector<std::int32_t> busy(vertices + 1, 0);
  std::copy(phi.begin(), phi.end(), busy.begin());
  for (const VertexNodes& site : sites.required) {
    busy[site.vertex] = static_cast<std::int32_t>(std::max<std::int64_t>(
        busy[site.vertex] - std::int64_t{site.count} * kPhiUnit, -kMaxPhi));
  }
  std::vector<std::int32_t> free(sites.capacity.begin(), sites.capacity.end());
  free.push_back(0);
  for (const VertexNodes& site : sites.required) {
    const auto phi_at = [&](VertexId v) {
      const std::int64_t busy_there = v < phi.size() ? phi[v] : 0;
      return busy_there + std::int64_t{kPhiUnit} * free[v];
    };
    std::int64_t around = kWithinVertex * phi_at(site.vertex);
    for (const VertexId beside : places.NeighboursOf(site.vertex)) {
      around += phi_at(beside);
    }
    required_phi += site.count * around;
  }
  own_phi.assign(vertices, 0);
  free_beside.assign(vertices, 0);
  const std::size_t degree = 2 * places.axes.size();
  const VertexId* neighbour = places.neighbours.data();
  for (VertexId v = 0; v < vertices; ++v, neighbour += degree) {
    if (free[v] == 0) continue;
    std::int32_t own = kWithinVertex * busy[v];
    std::int32_t beside = 0;
    for (std::size_t i = 0; i < degree; ++i) {
      own += busy[neighbour[i]];
      beside += free[neighbour[i]];
    }
    own_phi[v] = own;
    free_beside[v] = beside;
    min_own_phi = std::min(min_own_phi, own);
    max_own_phi_ = std::max(max_own_phi_, std::abs(own));
    max_free_beside_ = std::max(max_free_beside_, beside);
  }
}

void StreamGrid::SetScale(const StreamCosts& costs) {
  const double n = nodes;
  const double at_a_vertex = sites.max_at_a_vertex;
  const double hop = n > 1 ? 2 / (n * (n - 1)) : 0;
  const double phi = costs.perimeter_weight / (kPhiUnit * at_a_vertex);
  double diameter = 0;
  for (const GridAxis& axis : places.axes) diameter += axis.extent;
  const double max_free = max_free_beside_;
  const double max_phi =
      max_own_phi_ + kPhiUnit * (max_free + kWithinVertex * at_a_vertex);
  const double max_of_node = hop * n * diameter + phi * max_phi + 1e-9;
  constexpr double kNarrow = 536870912.0;    // 2^29
  constexpr double kWide = 1099511627776.0;  // 2^40
  constexpr double kFine = 256;  // a hop is rounded by 0.2 % at most, if narrow
  scale.unit = kNarrow / max_of_node;
  scale.narrow = hop == 0 || hop * scale.unit >= kFine;
  if (!scale.narrow) scale.unit = kWide / max_of_node;
  scale.per_hop = std::llround(hop * scale.unit);
  scale.per_phi = std::llround(phi * scale.unit);
}

}  // namespace coolspan
