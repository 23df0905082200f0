// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/distance/grid_places.h"

#include <algorithm>

namespace coolspan {

std::uint32_t GridPlaces::ShellOf(VertexId centre, VertexId vertex) const {
  const auto from = At(centre);
  const auto to = At(vertex);
  std::uint32_t shell = 0;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const std::uint32_t along = axes[d].ShellOf(from[d], to[d]);
    shell = shells == ShellKind::kHops ? shell + along : std::max(shell, along);
  }
  return shell;
}

// Without rings of odd length the grid is bipartite: a hop changes the parity
// of the distance to the centre, so neighbours are in different shells.
bool GridPlaces::ShellsAreTwoApart() const {
  return shells == ShellKind::kHops &&
         std::none_of(axes.begin(), axes.end(), [](const GridAxis& axis) {
           return axis.wrap && axis.extent % 2 == 1 && axis.extent > 1;
         });
}

GridTable::GridTable(const Grid& grid) : axes(AxesOf(grid, {})) {
  const VertexId vertices = grid.VertexCount();
  coordinates.reserve(vertices * axes.size());
  neighbours.reserve(2 * axes.size() * vertices);
  std::vector<std::uint32_t> at(axes.size(), 0);
  for (VertexId vertex = 0; vertex < vertices; ++vertex) {
    coordinates.insert(coordinates.end(), at.begin(), at.end());
    for (std::size_t d = 0; d < at.size(); ++d) {
      const GridAxis& axis = axes[d];
      // On a ring of two the vertex on both sides is the same.
      const bool wrap = axis.wrap && axis.extent > 2;
      const VertexId line = vertex - at[d] * axis.stride;
      const auto beside = [&](bool inside, std::uint32_t x) {
        neighbours.push_back(inside || wrap ? line + x * axis.stride
                                            : vertices);
      };
      beside(at[d] > 0, axis.Left(at[d], 1));
      beside(at[d] + 1 < axis.extent, axis.Right(at[d], 1));
    }
    for (std::size_t d = 0; d < at.size() && ++at[d] == grid.dims[d]; ++d) {
      at[d] = 0;
    }
  }
}

GridPlaces PlacesOnGrid(const GridTable& table, ShellKind shells,
                        const FreeSites& sites) {
  GridPlaces places{table.axes,       shells, table.coordinates,
                    table.neighbours, &sites, std::nullopt};
  if (!sites.required.empty()) {
    places.required.emplace(table.axes, table.coordinates);
    for (const VertexNodes& site : sites.required) {
      places.required->Add(site.vertex, site.count);
    }
    places.required->Update();
  }
  return places;
}

}  // namespace coolspan
