// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_PROPERTY_DRAW_GRID_H_
#define COOLSPAN_TESTS_PROPERTY_DRAW_GRID_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>

#include "core/topology.h"

namespace coolspan {

// A mesh in which some dimensions wrap and some of the first vertices are
// holes, with one to three nodes per vertex. max_extents: by the number of
// dimensions.
inline Grid DrawGrid(std::initializer_list<std::uint32_t> max_extents,
                     std::mt19937& random) {
  Grid grid;
  const std::size_t dimensions = 1 + random() % max_extents.size();
  const std::uint32_t max_extent = max_extents.begin()[dimensions - 1];
  for (std::size_t d = 0; d < dimensions; ++d) {
    grid.dims.push_back(static_cast<std::uint32_t>(1 + random() % max_extent));
    grid.wrap.push_back(random() % 2 == 0);
  }
  grid.nodes_per_vertex = static_cast<NodeCount>(1 + random() % 3);
  for (VertexId v = 1; v < grid.VertexCount() && random() % 3 != 0; ++v) {
    if (random() % 4 == 0) grid.holes.push_back(v);
  }
  return grid;
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_PROPERTY_DRAW_GRID_H_
