// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_SHELL_REACH_H_
#define COOLSPAN_POLICY_SHELL_REACH_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/topology.h"
#include "policy/grid_places.h"

namespace coolspan {

// What one axis, or several together, reach around a centre, shell by shell.
struct ShellReach {
  struct Step {
    std::uint64_t sum;  // distance along these axes to what is taken already
    VertexId offset;    // coordinates times strides
  };
  std::vector<Step> steps;                 // shell after shell
  std::vector<std::uint32_t> first = {0};  // of each shell, and the end

  void Clear() {
    steps.clear();
    first.assign(1, 0);
  }
  void EndShell() { first.push_back(static_cast<std::uint32_t>(steps.size())); }
  std::uint32_t shells() const {
    return static_cast<std::uint32_t>(first.size()) - 1;
  }
  // Of shells `from` to `to`, that one left out; none where they are empty.
  std::span<const Step> Shells(std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t begin = first[std::min(from, shells())];
    const std::uint32_t end = first[std::min(to, shells())];
    return std::span(steps).subspan(begin, end - begin);
  }
};

// A shell in the dimensions of both consists of products of their shells:
// calls visit(steps of a, steps of b) for each, none empty.
template <typename Visit>
void ForEachProduct(ShellKind kind, const ShellReach& a, const ShellReach& b,
                    std::uint32_t shell, Visit&& visit) {
  const auto give = [&visit](std::span<const ShellReach::Step> of_a,
                             std::span<const ShellReach::Step> of_b) {
    if (!of_a.empty() && !of_b.empty()) visit(of_a, of_b);
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
// product are long, so little is spent between vertices.
class ShellProducts {
 public:
  explicit ShellProducts(const GridPlaces& places);

  // Forgets what was reached before.
  void StartAt(std::span<const std::uint32_t> centre);
  // Shells are to be reached in their order; their sums are 0.
  void ReachShell(std::uint32_t shell);
  // Reaches all shells up to the last one again, with the sums of the windows,
  // one an axis.
  void ReachAgain(std::uint32_t last_shell,
                  std::span<const AxisWindow> windows);
  // Calls visit(steps of the first half, steps of the others).
  template <typename Visit>
  void ForEachInShell(std::uint32_t shell, Visit&& visit) const {
    ForEachProduct(kind_, Joined(0, half_), Joined(half_, axes_.size()), shell,
                   visit);
  }

 private:
  const ShellReach& Joined(std::size_t begin, std::size_t end) const {
    return end - begin == 1 ? axes_[begin] : joined_[end - 1];
  }
  void Join(std::uint32_t shell);

  std::span<const GridAxis> grid_;
  ShellKind kind_;
  std::size_t half_;
  std::span<const std::uint32_t> centre_;
  std::vector<ShellReach> axes_;    // a line has one more, of one coordinate
  std::vector<ShellReach> joined_;  // axes of a half, up to this one
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_SHELL_REACH_H_
