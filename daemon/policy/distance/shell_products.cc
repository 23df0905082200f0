// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/distance/shell_products.h"

namespace coolspan {

ShellProducts::ShellProducts(const GridPlaces& places)
    : grid_(places.axes),
      kind_(places.shells),
      half_((places.axes.size() + 1) / 2),
      axes_(std::max<std::size_t>(places.axes.size(), 2)),
      joined_(axes_.size()),
      paired_(axes_.size()) {
  if (grid_.size() == 1) {
    axes_[1].steps = {{0, 0}};
    axes_[1].first = {0, 1};
  }
}

void ShellProducts::StartAt(std::span<const std::uint32_t> centre) {
  centre_ = centre;
  for (std::size_t d = 0; d < grid_.size(); ++d) {
    axes_[d].steps.clear();
    axes_[d].first.assign(1, 0);
  }
}

void ShellProducts::ReachShell(std::uint32_t shell) {
  for (std::size_t d = 0; d < grid_.size(); ++d) {
    const GridAxis& axis = grid_[d];
    ShellReach& reach = axes_[d];
    axis.ForEachInShell(centre_[d], shell, [&](std::uint32_t x) {
      reach.steps.push_back({0, x * axis.stride});
    });
    reach.first.push_back(static_cast<std::uint32_t>(reach.steps.size()));
  }
  if (shell == 0) ClearPairs();
  AppendPairs(shell);
  SumPairs(shell);
}

void ShellProducts::RebuildWithSums(std::uint32_t last_shell,
                                    std::span<const AxisWindow> windows) {
  StartAt(centre_);
  for (std::size_t d = 0; d < grid_.size(); ++d) {
    const GridAxis& axis = grid_[d];
    const AxisWindow& window = windows[d];
    ShellReach& reach = axes_[d];
    for (std::uint32_t s = 0; s <= last_shell; ++s) {
      axis.ForEachInShell(centre_[d], s, [&](std::uint32_t x) {
        reach.steps.push_back(
            {window.sums[window.IndexOf(axis, x)], x * axis.stride});
      });
      reach.first.push_back(static_cast<std::uint32_t>(reach.steps.size()));
    }
  }
  if (!PairsAreCurrent()) {
    ClearPairs();
    for (std::uint32_t s = 0; s <= last_shell; ++s) AppendPairs(s);
    for (std::size_t d = 0; d < axes_.size(); ++d) paired_[d] = axes_[d].first;
  }
  SumPairs(0);
}

// A half of one axis has no pairs.
bool ShellProducts::PairsAreCurrent() const {
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    const std::size_t end = d < half_ ? half_ : axes_.size();
    if (end - BeginOfHalf(d) > 1 && paired_[d] != axes_[d].first) return false;
  }
  return true;
}

void ShellProducts::ClearPairs() {
  for (std::vector<std::uint32_t>& first : paired_) first.clear();
  for (Joined& joined : joined_) {
    joined.pairs.clear();
    joined.reach.first.assign(1, 0);
  }
}

void ShellProducts::AppendPairs(std::uint32_t shell) {
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    if (!IsJoined(d)) continue;
    Joined& joined = joined_[d];
    ForEachProduct(
        kind_, Part(BeginOfHalf(d), d), axes_[d], shell,
        [&joined](const ShellReach::Range& a, const ShellReach::Range& b) {
          for (std::uint32_t outer = b.begin; outer < b.end; ++outer) {
            for (std::uint32_t inner = a.begin; inner < a.end; ++inner) {
              joined.pairs.push_back({inner, outer});
            }
          }
        });
    joined.reach.first.push_back(
        static_cast<std::uint32_t>(joined.pairs.size()));
  }
}

void ShellProducts::SumPairs(std::uint32_t from_shell) {
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    if (!IsJoined(d)) continue;
    Joined& joined = joined_[d];
    joined.reach.steps.resize(joined.pairs.size());
    const ShellReach::Step* const inner = Part(BeginOfHalf(d), d).steps.data();
    const ShellReach::Step* const outer = axes_[d].steps.data();
    for (std::size_t i = joined.reach.first[from_shell];
         i < joined.pairs.size(); ++i) {
      const ShellReach::Step& from = inner[joined.pairs[i].inner];
      const ShellReach::Step& to = outer[joined.pairs[i].outer];
      joined.reach.steps[i] = {from.sum + to.sum, from.offset + to.offset};
    }
  }
}

}  // namespace coolspan
