// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_DISTANCE_SHELL_PRODUCTS_H_
#define COOLSPAN_POLICY_DISTANCE_SHELL_PRODUCTS_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/topology.h"
#include "policy/distance/grid_places.h"

namespace coolspan {

// The coordinates along one axis, or combinations of coordinates along several,
// ordered by shell around a centre.
struct ShellReach {
  // A coordinate, or a combination of coordinates.
  struct Step {
    std::uint64_t sum;  // distance along these axes to the nodes taken so far
    VertexId offset;    // sum of coordinate * stride
  };
  struct Range {
    std::uint32_t begin;
    std::uint32_t end;
  };
  std::vector<Step> steps;                 // shell after shell
  std::vector<std::uint32_t> first = {0};  // first step of each shell; the end

  std::uint32_t shells() const {
    return static_cast<std::uint32_t>(first.size()) - 1;
  }
  // Steps of the shells in [from, to).
  Range Shells(std::uint32_t from, std::uint32_t to) const {
    return {first[std::min(from, shells())], first[std::min(to, shells())]};
  }
  std::span<const Step> Steps(const Range& range) const {
    return std::span(steps).subspan(range.begin, range.end - range.begin);
  }
};

// A shell in the dimensions of a and b together is a union of products of their
// shells A_i and B_j:
//   hops: union over i + j = shell of A_i x B_j
//   box:  union over max(i, j) = shell of A_i x B_j
// Calls visit(range of a, range of b) for each product that is not empty.
template <typename Visit>
void ForEachProduct(ShellKind kind, const ShellReach& a, const ShellReach& b,
                    std::uint32_t shell, Visit&& visit) {
  const auto visit_product = [&visit](const ShellReach::Range& of_a,
                                      const ShellReach::Range& of_b) {
    if (of_a.begin < of_a.end && of_b.begin < of_b.end) visit(of_a, of_b);
  };
  if (kind == ShellKind::kBox) {
    visit_product(a.Shells(shell, shell + 1), b.Shells(0, shell + 1));
    visit_product(a.Shells(0, shell), b.Shells(shell, shell + 1));
    return;
  }
  const std::uint32_t end = std::min(shell + 1, b.shells());
  for (std::uint32_t s = 0; s < end; ++s) {
    visit_product(a.Shells(shell - s, shell - s + 1), b.Shells(s, s + 1));
  }
}

// Shells of all axes around one centre, as products of two parts: the first
// half of the axes and the others. This makes the inner loops over a product
// long. The pairing of steps within each half is kept from centre to centre:
// away from the edges of the grid it does not change.
class ShellProducts {
 public:
  explicit ShellProducts(const GridPlaces& places);

  void StartAt(std::span<const std::uint32_t> centre);
  // Adds a shell, with sums of 0. Call with 0, 1, 2, ... after StartAt.
  void ReachShell(std::uint32_t shell);
  // Rebuilds shells 0 to last_shell with the sums of the windows, one window
  // per axis.
  void RebuildWithSums(std::uint32_t last_shell,
                       std::span<const AxisWindow> windows);
  // Calls visit(steps of the first half, steps of the others).
  template <typename Visit>
  void ForEachInShell(std::uint32_t shell, Visit&& visit) const {
    const ShellReach& a = Part(0, half_);
    const ShellReach& b = Part(half_, axes_.size());
    ForEachProduct(
        kind_, a, b, shell,
        [&](const ShellReach::Range& of_a, const ShellReach::Range& of_b) {
          visit(a.Steps(of_a), b.Steps(of_b));
        });
  }

 private:
  struct Pair {
    std::uint32_t inner;  // step of the previous axes of the half
    std::uint32_t outer;  // step of this axis
  };
  // The axes of a half, from its first one to this one.
  struct Joined {
    ShellReach reach;
    std::vector<Pair> pairs;  // one for each step of the reach
  };

  const ShellReach& Part(std::size_t begin, std::size_t end) const {
    return end - begin == 1 ? axes_[begin] : joined_[end - 1].reach;
  }
  bool IsJoined(std::size_t d) const { return d != 0 && d != half_; }
  std::size_t BeginOfHalf(std::size_t d) const { return d < half_ ? 0 : half_; }
  bool PairsAreCurrent() const;
  void ClearPairs();
  void AppendPairs(std::uint32_t shell);
  void SumPairs(std::uint32_t from_shell);

  std::span<const GridAxis> grid_;
  ShellKind kind_;
  std::size_t half_;
  std::span<const std::uint32_t> centre_;
  std::vector<ShellReach> axes_;  // 1-D grids: plus an axis of one coordinate
  std::vector<Joined> joined_;
  // ShellReach::first of each axis when the pairs were made.
  std::vector<std::vector<std::uint32_t>> paired_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_SHELL_PRODUCTS_H_
