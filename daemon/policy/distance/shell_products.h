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

// What one axis, or several together, reach around a centre, shell by shell.
struct ShellReach {
  struct Step {
    std::uint64_t sum;  // distance along these axes to what is taken already
    VertexId offset;    // coordinates times strides
  };
  struct Range {
    std::uint32_t begin;
    std::uint32_t end;
  };
  std::vector<Step> steps;                 // shell after shell
  std::vector<std::uint32_t> first = {0};  // of each shell, and the end

  std::uint32_t shells() const {
    return static_cast<std::uint32_t>(first.size()) - 1;
  }
  // Steps of shells `from` to `to`, that one left out.
  Range Shells(std::uint32_t from, std::uint32_t to) const {
    return {first[std::min(from, shells())], first[std::min(to, shells())]};
  }
  std::span<const Step> Steps(const Range& range) const {
    return std::span(steps).subspan(range.begin, range.end - range.begin);
  }
};

// A shell in the dimensions of both consists of products of their shells:
// calls visit(range of a, range of b) for each, none empty.
template <typename Visit>
void ForEachProduct(ShellKind kind, const ShellReach& a, const ShellReach& b,
                    std::uint32_t shell, Visit&& visit) {
  const auto give = [&visit](const ShellReach::Range& of_a,
                             const ShellReach::Range& of_b) {
    if (of_a.begin < of_a.end && of_b.begin < of_b.end) visit(of_a, of_b);
  };
  if (kind == ShellKind::kBox) {
    give(a.Shells(shell, shell + 1), b.Shells(0, shell + 1));
    give(a.Shells(0, shell), b.Shells(shell, shell + 1));
    return;
  }
  const std::uint32_t most = std::min(shell + 1, b.shells());
  for (std::uint32_t s = 0; s < most; ++s) {
    give(a.Shells(shell - s, shell - s + 1), b.Shells(s, s + 1));
  }
}

// Shells of all axes around one centre, as products of two parts: what the
// first half of the axes reach, and the others. With many axes the rows of a
// product are long, so little is spent between vertices. Which steps of the
// axes go together is kept from centre to centre: away from the edges it is
// always the same.
class ShellProducts {
 public:
  explicit ShellProducts(const GridPlaces& places);

  void StartAt(std::span<const std::uint32_t> centre);
  // Shells are to be reached in their order after StartAt; their sums are 0.
  void ReachShell(std::uint32_t shell);
  // Reaches all shells up to the last one again, with the sums of the windows,
  // one an axis.
  void ReachAgain(std::uint32_t last_shell,
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
    std::uint32_t inner;  // step of the axes before
    std::uint32_t outer;  // step of this axis
  };
  // Axes of a half up to one of them.
  struct Joined {
    ShellReach reach;
    std::vector<Pair> pairs;  // by step of the reach
  };

  const ShellReach& Part(std::size_t begin, std::size_t end) const {
    return end - begin == 1 ? axes_[begin] : joined_[end - 1].reach;
  }
  bool IsJoined(std::size_t d) const { return d != 0 && d != half_; }
  std::size_t BeginOfHalf(std::size_t d) const { return d < half_ ? 0 : half_; }
  bool IsPairedAlready() const;
  void ForgetPairs();
  void PairUp(std::uint32_t shell);
  void AddUp(std::uint32_t from_shell);

  std::span<const GridAxis> grid_;
  ShellKind kind_;
  std::size_t half_;
  std::span<const std::uint32_t> centre_;
  std::vector<ShellReach> axes_;  // a line has one more, of one coordinate
  std::vector<Joined> joined_;
  // Of each axis, its shells when the pairs were found.
  std::vector<std::vector<std::uint32_t>> paired_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_SHELL_PRODUCTS_H_
