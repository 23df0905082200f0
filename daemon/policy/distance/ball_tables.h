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

// The number of free nodes in every ball B_r(v) (vertices within r hops of v)
// of a grid, and in every slice of a ball, its part at one coordinate of one
// axis. A slice is a ball B' in the other dimensions, so with n(.) for the
// number of free nodes
//   n(B_r(v)) = sum over |t| <= r of n(B'_{r-|t|}(v + t steps along the axis))
// and the balls of all vertices take a few additions of whole tables per axis.
//
// Count: uint16_t or uint32_t; REQUIRES that it can hold the largest ball.
template <typename Count>
class BallTables {
 public:
  // Radii 0 to max_radius. nullopt: the budget ended before they were made.
  static std::optional<BallTables> Make(const GridPlaces& places,
                                        std::uint32_t max_radius,
                                        Budget& budget);
  // Peak bytes per radius while the tables are made.
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

// Number of vertices of a ball in the middle of the grid, by radius, up to the
// radius that contains the whole grid.
std::vector<std::uint64_t> BallSizes(std::span<const GridAxis> axes);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_BALL_TABLES_H_
