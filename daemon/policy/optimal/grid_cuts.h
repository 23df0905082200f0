// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_OPTIMAL_GRID_CUTS_H_
#define COOLSPAN_POLICY_OPTIMAL_GRID_CUTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/topology.h"
#include "locality/compact_set.h"

namespace coolspan {

// The cuts that separate the vertices of a pool. The distance of two vertices
// is half the sum of Weight(c) over the cuts c that separate them.
//
// An axis without wrap is cut between neighbouring positions that have vertices
// of the pool. An axis with wrap is cut into an arc of half its extent and the
// rest: for an even extent each pair of opposite arcs once, for an odd extent
// every arc, with half the weight.
class GridCuts {
 public:
  // One dimension. Cut i separates the positions [i, i + arc) from the others
  // on a ring, [0, i + 1) on a line.
  struct Axis {
    bool ring;
    std::size_t positions;
    std::size_t first_cut;
    std::size_t cuts;
    std::size_t arc;  // length; rings only
  };

  GridCuts(const Grid& grid, const VertexPool& pool);

  std::size_t size() const { return weights_.size(); }
  const std::vector<Axis>& axes() const { return axes_; }
  // Twice the distance that the cut adds to each pair it separates.
  std::int64_t Weight(std::size_t cut) const { return weights_[cut]; }
  // The position of a vertex of the pool (by place) along an axis.
  std::uint32_t PositionOf(std::size_t vertex, std::size_t axis) const {
    return positions_[vertex * axes_.size() + axis];
  }

  // sums_inside[c]: the sum of by_position[axis of c] over the positions in cut
  // c.
  template <typename Number>
  void SumInside(std::span<const std::vector<Number>> by_position,
                 std::span<Number> sums_inside) const;
  // by_position[axis][position]: the sum of by_cut over the cuts that contain
  // the position.
  void SumOverCuts(std::span<const std::int64_t> by_cut,
                   std::vector<std::vector<std::int64_t>>& by_position) const;

 private:
  std::vector<Axis> axes_;
  std::vector<std::int64_t> weights_;
  std::vector<std::uint32_t> positions_;
};

template <typename Number>
void GridCuts::SumInside(std::span<const std::vector<Number>> by_position,
                         std::span<Number> sums_inside) const {
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Axis& axis = axes_[a];
    const std::vector<Number>& at = by_position[a];
    Number inside = 0;
    if (axis.ring) {
      for (std::size_t x = 0; x + 1 < axis.arc; ++x) inside += at[x];
    }
    for (std::size_t i = 0; i < axis.cuts; ++i) {
      if (axis.ring) {
        inside += at[(i + axis.arc - 1) % axis.positions];
        sums_inside[axis.first_cut + i] = inside;
        inside -= at[i];
      } else {
        inside += at[i];
        sums_inside[axis.first_cut + i] = inside;
      }
    }
  }
}

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_OPTIMAL_GRID_CUTS_H_
