// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_DISTANCE_BALL_TABLES_H_
#define COOLSPAN_POLICY_DISTANCE_BALL_TABLES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/budget.h"
#include "policy/distance/grid_places.h"

namespace coolspan {

// Free nodes in every ball (hop distance up to r) of a grid, and in every
// slice of one: what it has at one coordinate of one axis is a ball too, in
// the other dimensions. Ball r is the sum of its slices along an axis,
// r - |t| at t steps, so all balls of all vertices take a few additions of
// whole tables for each axis.
//
// Count: uint16_t or uint32_t; REQUIRES that it can hold the largest ball.
template <typename Count>
class BallTables {
 public:
  // Radii 0 to most_radius. nullopt: the budget ended before they were made.
  static std::optional<BallTables> Make(const GridPlaces& places,
                                        std::uint32_t max_radius,
                                        Budget& budget);
  // Bytes that one more radius needs, while the tables are made.
  static std::uint64_t BytesForRadius(const GridPlaces& places);

  std::uint32_t max_radius() const {
    return static_cast<std::uint32_t>(balls_.size()) - 1;
  }
  NodeCount Ball(VertexId centre, std::uint32_t radius) const {
    return balls_[radius][centre];
  }
  // Nodes within the radius of the vertex and with its coordinate on the axis.
  NodeCount Slice(std::size_t axis, VertexId vertex,
                  std::uint32_t radius) const {
    return slices_[axis][radius][vertex];
  }

 private:
  using Table = std::vector<Count>;   // by vertex
  using Tables = std::vector<Table>;  // by radius

  BallTables() = default;
  static void AddShifted(const std::vector<Count>& in, const GridAxis& axis,
                         std::uint32_t steps, bool from_right,
                         std::vector<Count>& out);
  static Tables Extend(std::span<const Table* const> balls,
                       const GridAxis& axis);

  std::vector<Tables> slices_;  // by axis
  Tables balls_;
};

extern template class BallTables<std::uint16_t>;
extern template class BallTables<std::uint32_t>;

// Vertices of balls in the middle of a grid, by radius, until all are inside.
std::vector<std::uint64_t> BallSizes(std::span<const GridAxis> axes);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_BALL_TABLES_H_
