// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_DISTANCE_GRID_AXIS_H_
#define COOLSPAN_POLICY_DISTANCE_GRID_AXIS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/topology.h"
#include "core/types.h"

namespace coolspan {

// One dimension of a grid and the extent of a shape in it. Shell 0 around a
// coordinate c is [c - before, c + after]; shell s are the coordinates s steps
// beyond, c - before - s and c + after + s. On a ring a coordinate belongs to
// the shell on its nearer side, on the right one if both are equally near. With
// before = after = 0, shell numbers are hop distances.
struct GridAxis {
  std::uint32_t extent = 1;
  bool wrap = false;
  VertexId stride = 1;
  std::uint32_t before = 0;  // before + after < extent
  std::uint32_t after = 0;

  // Coordinates outside of shell 0 on a ring.
  std::uint32_t Outside() const { return extent - (before + after + 1); }
  // The last shell around c that is not empty.
  std::uint32_t LastShell(std::uint32_t c) const {
    if (wrap) return (Outside() + 1) / 2;
    const std::uint32_t left = c > before ? c - before : 0;
    const std::uint32_t right =
        extent - 1 - c > after ? extent - 1 - c - after : 0;
    return std::max(left, right);
  }
  // Coordinates in shells 0 to `shells` to the left of c and to the right of
  // it; on a ring each coordinate is counted once.
  std::uint32_t ReachLeft(std::uint32_t c, std::uint32_t shells) const {
    if (!wrap) return std::min(c, before + shells);
    return before + std::min(shells, Outside() / 2);
  }
  std::uint32_t ReachRight(std::uint32_t c, std::uint32_t shells) const {
    if (!wrap) return std::min(extent - 1 - c, after + shells);
    return after + std::min(shells, (Outside() + 1) / 2);
  }
  std::uint32_t Left(std::uint32_t c, std::uint32_t by) const {
    return c >= by ? c - by : c + extent - by;
  }
  std::uint32_t Right(std::uint32_t c, std::uint32_t by) const {
    return c + by < extent ? c + by : c + by - extent;
  }

  // Calls visit(coordinate) for the coordinates of shell s around c.
  template <typename Visit>
  void ForEachInShell(std::uint32_t c, std::uint32_t s, Visit&& visit) const {
    if (s == 0) {
      const std::uint32_t left = ReachLeft(c, 0);
      const std::uint32_t count = left + ReachRight(c, 0) + 1;
      std::uint32_t x = Left(c, left);
      for (std::uint32_t i = 0; i < count; ++i) {
        visit(x);
        x = Right(x, 1);
      }
      return;
    }
    const std::uint32_t left = ReachLeft(c, s);
    if (left == before + s) visit(Left(c, left));
    const std::uint32_t right = ReachRight(c, s);
    if (right == after + s) visit(Right(c, right));
  }

  // The shell around c that x is in.
  std::uint32_t ShellOf(std::uint32_t c, std::uint32_t x) const {
    const auto beyond = [](std::uint32_t steps, std::uint32_t inside) {
      return steps > inside ? steps - inside : 0;
    };
    if (!wrap) return x >= c ? beyond(x - c, after) : beyond(c - x, before);
    const std::uint32_t right = x >= c ? x - c : x + extent - c;
    const std::uint32_t left = right == 0 ? 0 : extent - right;
    return std::min(beyond(right, after), beyond(left, before));
  }
};

// The axes of a grid, x first. shape: extents of shell 0 as in a request;
// missing dimensions have extent 1. An even extent reaches one further to the
// right than to the left.
std::vector<GridAxis> AxesOf(const Grid& grid,
                             const std::vector<std::uint32_t>& shape);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_GRID_AXIS_H_
