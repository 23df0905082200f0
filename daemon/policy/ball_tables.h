// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_BALL_TABLES_H_
#define COOLSPAN_POLICY_BALL_TABLES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "policy/grid_places.h"

namespace coolspan {

// Free nodes in every ball (hop distance up to r) of a grid, and in every
// slice of one: what it has at one coordinate of one axis is a ball too, in
// the other dimensions. Ball r is the sum of its slices along an axis,
// r - |t| at t steps, so all balls of all vertices take one pass over the grid
// for each axis.
class BallTables {
 public:
  // Radii 0 to most_radius.
  BallTables(const GridPlaces& places, std::uint32_t most_radius);
  // Bytes the tables of that radius need.
  static std::uint64_t BytesFor(const GridPlaces& places,
                                std::uint32_t most_radius);

  std::uint32_t most_radius() const { return radii_ - 1; }
  NodeCount Ball(VertexId centre, std::uint32_t radius) const {
    return balls_[centre * std::size_t{radii_} + radius];
  }
  // Nodes within the radius of the vertex and with its coordinate on the axis.
  NodeCount Slice(std::size_t axis, VertexId vertex,
                  std::uint32_t radius) const {
    return slices_[axis][vertex * std::size_t{radii_} + radius];
  }

 private:
  using Count = std::uint32_t;
  std::uint32_t radii_;
  std::vector<std::vector<Count>> slices_;  // by axis, vertex, radius
  std::vector<Count> balls_;
};

// The least radius at which a ball in the middle of the grid has that many
// vertices.
std::uint32_t RadiusOfBall(std::span<const GridAxis> axes,
                           std::uint64_t vertices);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_BALL_TABLES_H_
