// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_DISTANCE_GRID_PLACES_H_
#define COOLSPAN_POLICY_DISTANCE_GRID_PLACES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/topology.h"
#include "policy/distance/axis_sums.h"
#include "policy/distance/free_sites.h"
#include "policy/distance/grid_axis.h"

namespace coolspan {

// The shells around a centre.
enum class ShellKind {
  kHops,  // vertices at the same hop distance (L1 distance on a mesh)
  kBox,   // the request's shape, then box surfaces around it, one vertex thick
};

// Look-up tables of searches on a grid, made once for a machine.
struct GridTable {
  explicit GridTable(const Grid& grid);

  std::vector<GridAxis> axes;              // shell 0 is one vertex
  std::vector<std::uint32_t> coordinates;  // by vertex, then dimension
  // By vertex, two per dimension; the number of vertices stands for none.
  std::vector<VertexId> neighbours;
};

// The input of a centre search on a grid; its threads share it read-only.
struct GridPlaces {
  std::vector<GridAxis> axes;
  ShellKind shells;
  std::span<const std::uint32_t> coordinates;  // by vertex, then dimension
  std::span<const VertexId> neighbours;        // see GridTable
  const FreeSites* sites;
  // Distances to the required nodes; nullopt if there are none.
  std::optional<AxisSums> required;

  std::span<const std::uint32_t> At(VertexId vertex) const {
    return coordinates.subspan(vertex * axes.size(), axes.size());
  }
  std::span<const VertexId> NeighboursOf(VertexId vertex) const {
    return neighbours.subspan(2 * axes.size() * vertex, 2 * axes.size());
  }
  // The number of the shell around `centre` that the vertex is in.
  std::uint32_t ShellOf(VertexId centre, VertexId vertex) const;
  // Whether two vertices of one shell are always at least two hops apart.
  bool ShellsAreTwoApart() const;
};

// Places with one vertex as shell 0. table and sites must outlive the result.
GridPlaces PlacesOnGrid(const GridTable& table, ShellKind shells,
                        const FreeSites& sites);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_GRID_PLACES_H_
