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

// The cuts that hops between the vertices of a pool cross. A line is cut
// between the places where the pool has vertices, a ring into an arc of half
// its extent and the rest: each opposite pair of arcs once where the extent is
// even, every arc at half the weight where it is odd.
class GridCuts {
 public:
  // One dimension. Cut i parts places [i', i' + length) from the others, where
  // i' is i on a ring and 0 on a line, which has length i + 1 there.
  struct Axis {
    bool ring;
    std::size_t positions;
    std::size_t first_cut;
    std::size_t cuts;
    std::size_t arc;  // of a ring
  };

  GridCuts(const Grid& grid, const VertexPool& pool);

  std::size_t size() const { return weights_.size(); }
  const std::vector<Axis>& axes() const { return axes_; }
  // Twice what a pair that the cut parts adds to its distance.
  std::int64_t Weight(std::size_t cut) const { return weights_[cut]; }
  // Of a place of the pool along an axis.
  std::uint32_t PositionOf(std::size_t vertex, std::size_t axis) const {
    return positions_[vertex * axes_.size() + axis];
  }

  // sums_inside[c]: of what the places along their axis have, inside cut c.
  template <typename Number>
  void SumInside(std::span<const std::vector<Number>> by_position,
                 std::span<Number> sums_inside) const;
  // by_position: for each axis and place the sum of the values of cuts with the
  // place inside.
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
