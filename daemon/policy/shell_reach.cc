// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/shell_reach.h"

namespace coolspan {

ShellProducts::ShellProducts(const GridPlaces& places)
    : grid_(places.axes),
      kind_(places.shells),
      half_((places.axes.size() + 1) / 2),
      axes_(std::max<std::size_t>(places.axes.size(), 2)),
      joined_(axes_.size()) {
  if (grid_.size() == 1) {
    axes_[1].steps = {{0, 0}};
    axes_[1].first = {0, 1};
  }
}

void ShellProducts::StartAt(std::span<const std::uint32_t> centre) {
  centre_ = centre;
  for (std::size_t d = 0; d < grid_.size(); ++d) axes_[d].Clear();
  for (ShellReach& joined : joined_) joined.Clear();
}

void ShellProducts::ReachShell(std::uint32_t shell) {
  for (std::size_t d = 0; d < grid_.size(); ++d) {
    const GridAxis& axis = grid_[d];
    axis.ForEachInShell(centre_[d], shell, [&](std::uint32_t x) {
      axes_[d].steps.push_back({0, x * axis.stride});
    });
    axes_[d].EndShell();
  }
  Join(shell);
}

void ShellProducts::ReachAgain(std::uint32_t last_shell,
                               std::span<const AxisWindow> windows) {
  StartAt(centre_);
  for (std::size_t d = 0; d < grid_.size(); ++d) {
    const GridAxis& axis = grid_[d];
    const AxisWindow& window = windows[d];
    const std::uint32_t shells =
        std::min(last_shell, axis.LastShell(centre_[d])) + 1;
    for (std::uint32_t s = 0; s < shells; ++s) {
      axis.ForEachInShell(centre_[d], s, [&](std::uint32_t x) {
        axes_[d].steps.push_back(
            {window.sums[window.IndexOf(axis, x)], x * axis.stride});
      });
      axes_[d].EndShell();
    }
  }
  for (std::uint32_t s = 0; s <= last_shell; ++s) Join(s);
}

void ShellProducts::Join(std::uint32_t shell) {
  for (std::size_t d = 1; d < axes_.size(); ++d) {
    if (d == half_) continue;
    const std::size_t begin = d < half_ ? 0 : half_;
    ShellReach& joined = joined_[d];
    ForEachProduct(kind_, Joined(begin, d), axes_[d], shell,
                   [&joined](std::span<const ShellReach::Step> inner,
                             std::span<const ShellReach::Step> outer) {
                     const std::size_t known = joined.steps.size();
                     joined.steps.resize(known + inner.size() * outer.size());
                     ShellReach::Step* out = &joined.steps[known];
                     for (const ShellReach::Step& to : outer) {
                       for (const ShellReach::Step& from : inner) {
                         *out++ = {from.sum + to.sum, from.offset + to.offset};
                       }
                     }
                   });
    joined.EndShell();
  }
}

}  // namespace coolspan
