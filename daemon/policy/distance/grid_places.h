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

// What shells around a centre are made of.
enum class ShellKind {
  kHops,  // vertices at the same hop distance
  kBox,   // the request's shape, then boxes around it, one vertex thick
};

// What searches on a grid look up, made once for a machine.
struct GridTable {
  explicit GridTable(const Grid& grid);

  std::vector<GridAxis> axes;              // shell 0 is one vertex
  std::vector<std::uint32_t> coordinates;  // by vertex, then dimension
};

// One question to a centre search on a grid: read by all its threads.
struct GridPlaces {
  std::vector<GridAxis> axes;
  ShellKind shells;
  std::span<const std::uint32_t> coordinates;  // by vertex, then dimension
  const FreeSites* sites;
  // Distances to the required nodes; absent where there are none.
  std::optional<AxisSums> required;

  std::span<const std::uint32_t> At(VertexId vertex) const {
    return coordinates.subspan(vertex * axes.size(), axes.size());
  }
  // The number of the shell around `centre` that the vertex is in.
  std::uint32_t ShellOf(VertexId centre, VertexId vertex) const;
  // Vertices of one shell are never one hop from each other.
  bool ShellsAreTwoApart() const;
};

// Shells around one vertex. table and sites must outlive it.
GridPlaces PlacesOnGrid(const GridTable& table, ShellKind shells,
                        const FreeSites& sites);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_GRID_PLACES_H_
