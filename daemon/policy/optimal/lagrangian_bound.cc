// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/optimal/lagrangian_bound.h"

#include <algorithm>
#include <cmath>

namespace coolspan {
namespace {

constexpr int kMaxSteps = 12;

std::int64_t DivideRoundingUp(std::int64_t number, std::int64_t by) {
  return number <= 0 ? 0 : (number + by - 1) / by;
}

}  // namespace

LagrangianBound::LagrangianBound(const GridCuts& cuts, const VertexPool& pool,
                                 NodeCount nodes)
    : cuts_(cuts),
      pool_(pool),
      nodes_(nodes),
      low_(pool.required),
      high_(pool.free),
      low_inside_(cuts.size()),
      high_inside_(cuts.size()),
      taken_inside_(cuts.size()) {
  for (NodeCount& high : high_) high = std::min(high, nodes);
  for (const NodeCount low : low_) low_total_ += low;
  const std::size_t axes = cuts.axes().size();
  allowed_.resize(axes);
  low_at_.resize(axes);
  high_at_.resize(axes);
  taken_at_.resize(axes);
  for (std::size_t a = 0; a < axes; ++a) {
    allowed_[a].resize(cuts.axes()[a].positions);
  }
  if (axes == 0) return;
  // Vertices are in row-major order, so positions on the last axis ascend.
  row_starts_.assign(cuts.axes()[axes - 1].positions + 1, 0);
  for (std::size_t i = 0; i < pool.size(); ++i) {
    ++row_starts_[cuts.PositionOf(i, axes - 1) + 1];
  }
  for (std::size_t x = 1; x < row_starts_.size(); ++x) {
    row_starts_[x] += row_starts_[x - 1];
  }
}

Subproblem LagrangianBound::Whole() const {
  Subproblem whole;
  whole.inside.assign(cuts_.size(), {0, nodes_});
  whole.slopes.assign(cuts_.size(), 0);
  return whole;
}

void LagrangianBound::SetVertexRanges(const Subproblem& problem) {
  for (const Subproblem::VertexRange& range : problem.vertices) {
    if (range.low > low_[range.place]) {
      low_total_ += range.low - low_[range.place];
      low_[range.place] = range.low;
    }
    high_[range.place] = std::min(high_[range.place], range.high);
  }
}

void LagrangianBound::ResetVertexRanges(const Subproblem& problem) {
  for (const Subproblem::VertexRange& range : problem.vertices) {
    low_total_ -= low_[range.place] - pool_.required[range.place];
    low_[range.place] = pool_.required[range.place];
    high_[range.place] =
        std::min(pool_.free[range.place], static_cast<NodeCount>(nodes_));
  }
}

std::vector<NodeCount> LagrangianBound::Taken() const {
  std::vector<NodeCount> taken(pool_.size(), 0);
  for (const TakenAt& at : best_taken_) taken[at.place] += at.nodes;
  return taken;
}

LagrangianBound::Result LagrangianBound::Evaluate(Subproblem& problem,
                                                  std::uint64_t target) {
  work_ = 0;
  best_total_ = kInfeasible;
  SetVertexRanges(problem);
  std::uint64_t bound = kInfeasible;
  std::vector<bool> follows_chord(cuts_.size());
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    follows_chord[c] = problem.slopes[c] == ChordSlope(problem, c);
  }
  if (Narrow(problem)) {
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
      if (follows_chord[c]) problem.slopes[c] = ChordSlope(problem, c);
    }
    const std::int64_t doubled = 2 * kFixedPoint;
    const auto scaled_target = static_cast<double>(target) * doubled;
    std::int64_t best = BoundBySlopes(problem);
    Subproblem trial = problem;
    std::vector<std::int64_t> inside = taken_inside_;
    double step_scale = 1;
    for (int step = 0; step < kMaxSteps; ++step) {
      if (static_cast<std::uint64_t>(DivideRoundingUp(best, doubled)) >=
          target) {
        break;
      }
      const double squares = SquaredGradient(trial);
      if (squares == 0) break;
      // Polyak's step: (target - bound) / |gradient|^2, scaled.
      const double gap =
          scaled_target - static_cast<double>(std::max<std::int64_t>(best, 0));
      if (!StepSlopes(trial, step_scale * gap / squares)) break;
      const std::int64_t bound_now = BoundBySlopes(trial);
      if (bound_now > best) {
        best = bound_now;
        problem.slopes = trial.slopes;
        inside = taken_inside_;
      } else {
        step_scale /= 2;
      }
    }
    taken_inside_ = std::move(inside);
    bound = static_cast<std::uint64_t>(
        DivideRoundingUp(std::max(best, BoundByRanges(problem)), doubled));
    if (bound < target) ChooseSplit(problem);
  }
  ResetVertexRanges(problem);
  return {bound, best_total_, work_};
}

// Finds the positions of each axis where nodes can be taken.
void LagrangianBound::FindAllowedPositions(const Subproblem& problem) {
  for (std::size_t a = 0; a < allowed_.size(); ++a) {
    const GridCuts::Axis& axis = cuts_.axes()[a];
    std::vector<char>& allowed = allowed_[a];
    std::fill(allowed.begin(), allowed.end(), 1);
    if (!axis.ring) {
      for (std::size_t x = 0; x < axis.positions; ++x) {
        const std::size_t cut = axis.first_cut + x;
        const std::int64_t before = x == 0 ? 0 : problem.inside[cut - 1].low;
        const std::int64_t up_to =
            x == axis.cuts ? nodes_ : problem.inside[cut].high;
        if (up_to == before) allowed[x] = 0;
      }
      continue;
    }
    for (std::size_t i = 0; i < axis.cuts; ++i) {
      const Subproblem::Range& range = problem.inside[axis.first_cut + i];
      const bool all_inside = range.low == nodes_;
      if (range.high > 0 && !all_inside) continue;
      const std::size_t from = all_inside ? i + axis.arc : i;
      const std::size_t length =
          all_inside ? axis.positions - axis.arc : axis.arc;
      for (std::size_t x = from; x < from + length; ++x) {
        allowed[x % axis.positions] = 0;
      }
    }
  }
}

bool LagrangianBound::CollectActive(const Subproblem& problem) {
  FindAllowedPositions(problem);
  const std::size_t axes = allowed_.size();
  active_.clear();
  low_sum_ = 0;
  high_sum_ = 0;
  for (std::size_t a = 0; a < axes; ++a) {
    low_at_[a].assign(allowed_[a].size(), 0);
    high_at_[a].assign(allowed_[a].size(), 0);
  }
  const std::vector<char>& rows = allowed_[axes - 1];
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows[row] == 0) continue;
    for (std::uint32_t i = row_starts_[row]; i < row_starts_[row + 1]; ++i) {
      bool open = high_[i] > 0;
      for (std::size_t a = 0; open && a + 1 < axes; ++a) {
        open = allowed_[a][cuts_.PositionOf(i, a)] != 0;
      }
      if (!open) continue;
      if (low_[i] > high_[i]) return false;
      active_.push_back(i);
      low_sum_ += low_[i];
      high_sum_ += high_[i];
      for (std::size_t a = 0; a < axes; ++a) {
        const std::uint32_t position = cuts_.PositionOf(i, a);
        low_at_[a][position] += low_[i];
        high_at_[a][position] += high_[i];
      }
    }
  }
  work_ += active_.size() + rows.size();
  return low_sum_ == low_total_ && low_sum_ <= nodes_ && high_sum_ >= nodes_;
}

bool LagrangianBound::Narrow(Subproblem& problem) {
  constexpr int kMaxRounds = 4;
  std::size_t active = pool_.size() + 1;
  for (int round = 0; round < kMaxRounds; ++round) {
    if (!CollectActive(problem)) return false;
    if (active_.size() == active) break;
    active = active_.size();
    cuts_.SumInside<std::int64_t>(low_at_, low_inside_);
    cuts_.SumInside<std::int64_t>(high_at_, high_inside_);
    if (!NarrowCuts(problem)) return false;
  }
  return true;
}

bool LagrangianBound::NarrowCuts(Subproblem& problem) const {
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    Subproblem::Range& range = problem.inside[c];
    range.low = std::max(
        {range.low, low_inside_[c], nodes_ - (high_sum_ - high_inside_[c])});
    range.high = std::min(
        {range.high, high_inside_[c], nodes_ - (low_sum_ - low_inside_[c])});
    if (range.low > range.high) return false;
  }
  for (const GridCuts::Axis& axis : cuts_.axes()) {
    if (!axis.ring && !NarrowLine(axis, problem)) return false;
  }
  return true;
}

// n_i = n_{i-1} + nodes at position i.
bool LagrangianBound::NarrowLine(const GridCuts::Axis& axis,
                                 Subproblem& problem) const {
  const auto index = static_cast<std::size_t>(&axis - cuts_.axes().data());
  const std::vector<std::int64_t>& high_at = high_at_[index];
  const std::vector<std::int64_t>& low_at = low_at_[index];
  Subproblem::Range* inside = &problem.inside[axis.first_cut];
  for (std::size_t i = 1; i < axis.cuts; ++i) {
    inside[i].low = std::max(inside[i].low, inside[i - 1].low + low_at[i]);
    inside[i].high = std::min(inside[i].high, inside[i - 1].high + high_at[i]);
  }
  for (std::size_t i = axis.cuts - 1; i-- > 0;) {
    inside[i].low = std::max(inside[i].low, inside[i + 1].low - high_at[i + 1]);
    inside[i].high =
        std::min(inside[i].high, inside[i + 1].high - low_at[i + 1]);
  }
  return std::all_of(inside, inside + axis.cuts,
                     [](const auto& range) { return range.low <= range.high; });
}

// The term of a cut, w_c * n_c * (k - n_c), in fixed point.
std::int64_t LagrangianBound::TermAt(std::size_t cut,
                                     std::int64_t inside) const {
  return kFixedPoint * cuts_.Weight(cut) * inside * (nodes_ - inside);
}

// The slope of the chord of w_c * n * (k - n) over [low, high]:
// w_c * (k - low - high).
std::int64_t LagrangianBound::ChordSlope(const Subproblem& problem,
                                         std::size_t cut) const {
  const Subproblem::Range& range = problem.inside[cut];
  return kFixedPoint * cuts_.Weight(cut) * (nodes_ - range.low - range.high);
}

// The line of a cut, a lower bound of the term in its range.
std::int64_t LagrangianBound::LineAt(const Subproblem& problem, std::size_t cut,
                                     std::int64_t inside) const {
  const std::int64_t slope = problem.slopes[cut];
  const Subproblem::Range& range = problem.inside[cut];
  const std::int64_t through =
      slope <= ChordSlope(problem, cut) ? range.low : range.high;
  return TermAt(cut, through) + slope * (inside - through);
}

// The minimum of a concave term is at an end of its range.
std::int64_t LagrangianBound::BoundByRanges(const Subproblem& problem) const {
  std::int64_t bound = 0;
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    bound += std::min(TermAt(c, problem.inside[c].low),
                      TermAt(c, problem.inside[c].high));
  }
  return bound;
}

std::int64_t LagrangianBound::BoundBySlopes(const Subproblem& problem) {
  std::int64_t bound = 0;
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    bound += LineAt(problem, c, 0);
  }
  cuts_.SumOverCuts(problem.slopes, costs_at_);
  TakeCheapest();
  for (std::size_t a = 0; a < taken_at_.size(); ++a) {
    for (std::size_t x = 0; x < taken_at_[a].size(); ++x) {
      bound += costs_at_[a][x] * taken_at_[a][x];
    }
  }
  KeepIfBetter();
  work_ += active_.size() + cuts_.size();
  return bound;
}

void LagrangianBound::TakeCheapest() {
  const std::size_t axes = taken_at_.size();
  for (std::size_t a = 0; a < axes; ++a) {
    taken_at_[a].assign(allowed_[a].size(), 0);
  }
  const auto take = [&](std::uint32_t place, NodeCount nodes) {
    taken_.push_back({place, nodes});
    for (std::size_t a = 0; a < axes; ++a) {
      taken_at_[a][cuts_.PositionOf(place, a)] += nodes;
    }
  };
  offers_.clear();
  taken_.clear();
  for (const std::uint32_t i : active_) {
    if (low_[i] > 0) take(i, low_[i]);
    if (low_[i] == high_[i]) continue;
    std::int64_t cost = 0;
    for (std::size_t a = 0; a < axes; ++a) {
      cost += costs_at_[a][cuts_.PositionOf(i, a)];
    }
    offers_.push_back({cost, i, high_[i] - low_[i]});
  }
  const auto cheaper = [](const Offer& a, const Offer& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.place < b.place;
  };
  auto left = static_cast<NodeCount>(nodes_ - low_sum_);
  auto end = offers_.end();
  if (left < offers_.size()) {
    end = offers_.begin() + std::ptrdiff_t{left};
    std::nth_element(offers_.begin(), end, offers_.end(), cheaper);
  }
  // Offers of one node each are all taken, so their order does not matter.
  if (std::any_of(offers_.begin(), end,
                  [](const Offer& offer) { return offer.nodes > 1; })) {
    std::sort(offers_.begin(), end, cheaper);
  }
  for (auto offer = offers_.begin(); left > 0; ++offer) {
    const NodeCount nodes = std::min(left, offer->nodes);
    take(offer->place, nodes);
    left -= nodes;
  }
}

void LagrangianBound::KeepIfBetter() {
  cuts_.SumInside<std::int64_t>(taken_at_, taken_inside_);
  std::int64_t doubled = 0;
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    doubled += cuts_.Weight(c) * taken_inside_[c] * (nodes_ - taken_inside_[c]);
  }
  const auto total = static_cast<std::uint64_t>(doubled / 2);
  if (total < best_total_) {
    best_total_ = total;
    best_taken_ = taken_;
  }
}

// The derivative of the bound with respect to the slope of the cut; 0 where the
// chord is best.
std::int64_t LagrangianBound::Gradient(const Subproblem& problem,
                                       std::size_t cut) const {
  const Subproblem::Range& range = problem.inside[cut];
  const std::int64_t inside = taken_inside_[cut];
  const std::int64_t chord = ChordSlope(problem, cut);
  if (problem.slopes[cut] < chord) return inside - range.low;
  if (problem.slopes[cut] > chord) return inside - range.high;
  if (inside < range.low) return inside - range.low;
  if (inside > range.high) return inside - range.high;
  return 0;
}

double LagrangianBound::SquaredGradient(const Subproblem& problem) const {
  double squares = 0;
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    const auto gradient = static_cast<double>(Gradient(problem, c));
    squares += gradient * gradient;
  }
  return squares;
}

// Returns false if no slope changes.
bool LagrangianBound::StepSlopes(Subproblem& problem, double step) const {
  bool moved = false;
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    const std::int64_t gradient = Gradient(problem, c);
    const auto change = static_cast<std::int64_t>(
        std::lround(step * static_cast<double>(gradient)));
    if (change == 0) continue;
    moved = true;
    const std::int64_t chord = ChordSlope(problem, c);
    std::int64_t& slope = problem.slopes[c];
    const bool below = slope < chord;
    const bool above = slope > chord;
    slope += change;
    if ((below && slope > chord) || (above && slope < chord)) slope = chord;
  }
  return moved;
}

}  // namespace coolspan
