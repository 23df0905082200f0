// SPDX-License-Identifier: GPL-3.0-or-later
// Branching: how LagrangianBound splits a subproblem in two.
#include <algorithm>
#include <utility>

#include "policy/optimal/lagrangian_bound.h"

namespace coolspan {

std::pair<Subproblem, Subproblem> LagrangianBound::Split(
    const Subproblem& problem) const {
  Subproblem first = problem;
  Subproblem second = problem;
  if (problem.split_cut < cuts_.size()) {
    const std::size_t cut = problem.split_cut;
    first.inside[cut].high = problem.split_at;
    second.inside[cut].low = problem.split_at + 1;
    // A slope equal to that of its chord stays so for the new ranges.
    if (problem.slopes[cut] == ChordSlope(problem, cut)) {
      first.slopes[cut] = ChordSlope(first, cut);
      second.slopes[cut] = ChordSlope(second, cut);
    }
  } else {
    const auto at = static_cast<NodeCount>(problem.split_at);
    first.vertices.push_back({problem.split_place, 0, at});
    second.vertices.push_back({problem.split_place, at + 1, ~NodeCount{0}});
  }
  return {std::move(first), std::move(second)};
}

void LagrangianBound::ChooseSplit(Subproblem& problem) const {
  if (ChooseWideCut(problem) || ChooseCutByGap(problem)) return;
  ChooseVertex(problem);
}

// The first splits locate the middle of the nodes: among the cuts with a range
// of more than half of the nodes, splits the one that divides the vertices most
// evenly.
bool LagrangianBound::ChooseWideCut(Subproblem& problem) const {
  std::int64_t best = -1;
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    const Subproblem::Range& range = problem.inside[c];
    if (range.high - range.low <= (nodes_ + 1) / 2) continue;
    const std::int64_t smaller =
        std::min(high_inside_[c], high_sum_ - high_inside_[c]);
    if (smaller > best) {
      best = smaller;
      problem.split_cut = c;
      problem.split_at = (range.low + range.high) / 2;
    }
  }
  return best >= 0;
}

// Splits the cut with the largest gap between its term and its line at the
// nodes taken. Without a gap, or with the nodes taken outside the ranges,
// splits the widest range by weight.
bool LagrangianBound::ChooseCutByGap(Subproblem& problem) const {
  std::int64_t best_gap = 0;
  std::int64_t best_width = 0;
  std::size_t widest = cuts_.size();
  problem.split_cut = cuts_.size();
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    const Subproblem::Range& range = problem.inside[c];
    if (range.low == range.high) continue;
    const std::int64_t width =
        cuts_.Weight(c) * (range.high - range.low) * (range.high - range.low);
    if (width > best_width) {
      best_width = width;
      widest = c;
    }
    const std::int64_t inside = taken_inside_[c];
    if (inside < range.low || inside > range.high) continue;
    const std::int64_t gap = TermAt(c, inside) - LineAt(problem, c, inside);
    if (gap > best_gap) {
      best_gap = gap;
      problem.split_cut = c;
      problem.split_at = std::min(inside, range.high - 1);
    }
  }
  if (problem.split_cut < cuts_.size()) return true;
  if (widest == cuts_.size()) return false;
  problem.split_cut = widest;
  problem.split_at =
      (problem.inside[widest].low + problem.inside[widest].high) / 2;
  return true;
}

// The number of nodes inside every cut is fixed, but not which vertices give
// them.
void LagrangianBound::ChooseVertex(Subproblem& problem) const {
  problem.split_cut = cuts_.size();
  for (const std::uint32_t i : active_) {
    if (low_[i] == high_[i]) continue;
    problem.split_place = i;
    problem.split_at = (std::int64_t{low_[i]} + high_[i]) / 2;
    return;
  }
}

}  // namespace coolspan
