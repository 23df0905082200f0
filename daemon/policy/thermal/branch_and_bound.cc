// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/thermal/branch_and_bound.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace coolspan {
namespace {

constexpr std::size_t kMaxTable = 40'000;  // groups * nodes to choose
constexpr std::size_t kMaxBounds = 24;
constexpr std::uint64_t kBudgetCheckInterval = 256;  // subproblems

// A lower bound of the peak inlet: for weights lambda_i >= 0 that sum to 1,
//   max_i T_i(x) >= sum_i lambda_i T_i(x)
// which is smallest with the nodes that raise this mean least.
struct InletBound {
  double base_c = 0;
  std::vector<double> k_per_watt;  // (D^T lambda), by position in order_
  // The minimum rise from k nodes of the groups at a position and after it:
  // index position * (nodes to choose + 1) + k.
  std::vector<double> min_k;
};

class BranchAndBound {
 public:
  BranchAndBound(InletConstraints& constraints, std::span<const double> weights,
                 const Prices& prices, double tolerance_k, GroupPlacement& best)
      : constraints_(constraints),
        problem_(constraints.problem()),
        weights_(weights),
        prices_(prices),
        tolerance_k_(tolerance_k),
        best_(best),
        counts_(problem_.groups().size(), 0),
        chosen_in_zone_(problem_.zone_count(), 0) {}

  BranchResult Run(std::uint64_t max_subproblems, Budget& budget);

 private:
  enum class Outcome { kContinue, kNewConstraint, kBudgetExhausted };

  void OrderGroups();
  void MakeBounds();
  InletBound MakeBound(double base_c, std::vector<double> k_per_watt) const;
  double WattsAtMinRise(std::size_t group, double k_per_watt) const;
  Outcome Branch(std::size_t position, NodeCount left);
  Outcome TryCount(std::size_t position, NodeCount left, NodeCount count);
  Outcome TryPlacement();
  double Limit() const { return best_.peak_c() - tolerance_k_; }

  InletConstraints& constraints_;
  const ThermalProblem& problem_;
  std::span<const double> weights_;
  const Prices& prices_;
  double tolerance_k_;
  GroupPlacement& best_;
  std::vector<std::size_t> order_;
  std::vector<NodeCount> nodes_from_;  // capacity from a position on
  std::vector<InletBound> bounds_;
  std::vector<double> bound_c_;  // of bounds_, with the counts chosen so far
  std::vector<NodeCount> counts_;
  std::vector<NodeCount> chosen_in_zone_;
  BranchResult result_;
  std::uint64_t max_subproblems_ = 0;
  Budget* budget_ = nullptr;
};

void BranchAndBound::OrderGroups() {
  order_.resize(counts_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const auto distance = [this](std::size_t g) {
    return std::abs(prices_.of_group[g] - prices_.threshold);
  };
  std::stable_sort(
      order_.begin(), order_.end(),
      [&](std::size_t a, std::size_t b) { return distance(a) > distance(b); });
  nodes_from_.assign(order_.size() + 1, 0);
  for (std::size_t position = order_.size(); position-- > 0;) {
    nodes_from_[position] = nodes_from_[position + 1] +
                            problem_.groups()[order_[position]].capacity;
  }
}

// The power of a node of the group that makes its rise smallest: the minimum
// power if k_per_watt >= 0, else the maximum. In a zone with several groups,
// another group may already have switched the zone on.
double BranchAndBound::WattsAtMinRise(std::size_t group,
                                      double k_per_watt) const {
  const HeatGroup& heat_group = problem_.groups()[group];
  if (k_per_watt < 0) {
    return heat_group.watts + problem_.PowerOnWatts(heat_group.zone);
  }
  return heat_group.capacity == problem_.CapacityOf(heat_group.zone)
             ? constraints_.MinWatts(group)
             : heat_group.watts;
}

InletBound BranchAndBound::MakeBound(double base_c,
                                     std::vector<double> k_per_watt) const {
  const std::size_t n = problem_.nodes_to_choose();
  const std::size_t width = n + 1;
  constexpr double kInfeasible = std::numeric_limits<double>::infinity();
  InletBound bound{base_c, std::move(k_per_watt), {}};
  bound.min_k.assign((order_.size() + 1) * width, kInfeasible);
  bound.min_k[order_.size() * width] = 0;
  std::vector<double> cheapest;  // rises in K, ascending, at most n
  for (std::size_t position = order_.size(); position-- > 0;) {
    const double k = bound.k_per_watt[position];
    const double node_k = k * WattsAtMinRise(order_[position], k);
    const std::size_t count =
        std::min<std::size_t>(n, problem_.groups()[order_[position]].capacity);
    const auto at = std::upper_bound(cheapest.begin(), cheapest.end(), node_k);
    cheapest.insert(at, count, node_k);
    if (cheapest.size() > n) cheapest.resize(n);
    double sum = 0;
    double* row = &bound.min_k[position * width];
    row[0] = 0;
    for (std::size_t i = 0; i < cheapest.size(); ++i) {
      sum += cheapest[i];
      row[i + 1] = sum;
    }
  }
  return bound;
}

// One bound with the weights of the relaxation, and one for each of the warmest
// inlets alone.
void BranchAndBound::MakeBounds() {
  bounds_.clear();
  std::vector<double> weighted_k_per_watt(order_.size(), 0.0);
  double base_c = 0;
  for (std::size_t row = 0; row < weights_.size(); ++row) {
    if (weights_[row] == 0) continue;
    base_c += weights_[row] * constraints_.BaseC(row);
    for (std::size_t position = 0; position < weighted_k_per_watt.size();
         ++position) {
      weighted_k_per_watt[position] +=
          weights_[row] * constraints_.KPerWatt(row)[order_[position]];
    }
  }
  if (!weights_.empty()) {
    bounds_.push_back(MakeBound(base_c, std::move(weighted_k_per_watt)));
  }
  std::vector<std::size_t> warmest(constraints_.size());
  std::iota(warmest.begin(), warmest.end(), std::size_t{0});
  std::stable_sort(warmest.begin(), warmest.end(),
                   [this](std::size_t a, std::size_t b) {
                     return best_.inlet_c()[constraints_.InletOf(a)] >
                            best_.inlet_c()[constraints_.InletOf(b)];
                   });
  if (warmest.size() > kMaxBounds) warmest.resize(kMaxBounds);
  for (const std::size_t row : warmest) {
    std::vector<double> k_per_watt(order_.size());
    for (std::size_t position = 0; position < order_.size(); ++position) {
      k_per_watt[position] = constraints_.KPerWatt(row)[order_[position]];
    }
    bounds_.push_back(
        MakeBound(constraints_.BaseC(row), std::move(k_per_watt)));
  }
  bound_c_.clear();
  for (const InletBound& bound : bounds_) bound_c_.push_back(bound.base_c);
}

BranchAndBound::Outcome BranchAndBound::TryPlacement() {
  GroupPlacement placement(problem_, counts_);
  if (placement.peak_c() < Limit()) {
    best_ = std::move(placement);
    return Outcome::kContinue;
  }
  // The peak is at an inlet without a constraint: add it and start again.
  if (constraints_.Has(placement.peak_zone()) || bounds_.size() > kMaxBounds) {
    return Outcome::kContinue;
  }
  constraints_.Add(placement.peak_zone());
  return Outcome::kNewConstraint;
}

BranchAndBound::Outcome BranchAndBound::TryCount(std::size_t position,
                                                 NodeCount left,
                                                 NodeCount count) {
  const std::size_t group = order_[position];
  const HeatGroup& heat_group = problem_.groups()[group];
  double watts = count * heat_group.watts;
  if (count > 0 && chosen_in_zone_[heat_group.zone] == 0) {
    watts += problem_.PowerOnWatts(heat_group.zone);
  }
  const std::size_t width = problem_.nodes_to_choose() + 1;
  const std::size_t rest = (position + 1) * width + (left - count);
  bool can_improve = true;
  const double limit = Limit();
  for (std::size_t m = 0; m < bounds_.size(); ++m) {
    bound_c_[m] += watts * bounds_[m].k_per_watt[position];
    if (bound_c_[m] + bounds_[m].min_k[rest] >= limit) can_improve = false;
  }
  Outcome outcome = Outcome::kContinue;
  if (can_improve) {
    counts_[group] = count;
    chosen_in_zone_[heat_group.zone] += count;
    outcome = Branch(position + 1, left - count);
    chosen_in_zone_[heat_group.zone] -= count;
    counts_[group] = 0;
  }
  for (std::size_t m = 0; m < bounds_.size(); ++m) {
    bound_c_[m] -= watts * bounds_[m].k_per_watt[position];
  }
  return outcome;
}

BranchAndBound::Outcome BranchAndBound::Branch(std::size_t position,
                                               NodeCount left) {
  if (++result_.subproblems % kBudgetCheckInterval == 0 &&
      (result_.subproblems > max_subproblems_ ||
       !budget_->Spend(kBudgetCheckInterval * bounds_.size()))) {
    return Outcome::kBudgetExhausted;
  }
  if (left == 0) return TryPlacement();
  const std::size_t group = order_[position];
  const NodeCount capacity = problem_.groups()[group].capacity;
  const NodeCount min_count =
      left > nodes_from_[position + 1] ? left - nodes_from_[position + 1] : 0;
  const NodeCount max_count = std::min(left, capacity);
  const bool cheap = prices_.of_group[group] <= prices_.threshold;
  for (NodeCount i = 0; i <= max_count - min_count; ++i) {
    const Outcome outcome =
        TryCount(position, left, cheap ? max_count - i : min_count + i);
    if (outcome != Outcome::kContinue) return outcome;
  }
  return Outcome::kContinue;
}

BranchResult BranchAndBound::Run(std::uint64_t max_subproblems,
                                 Budget& budget) {
  max_subproblems_ = max_subproblems;
  budget_ = &budget;
  OrderGroups();
  Outcome outcome = Outcome::kNewConstraint;
  while (outcome == Outcome::kNewConstraint) {
    if (!budget.Spend(order_.size() * (constraints_.size() + 1) *
                      (problem_.nodes_to_choose() + 1))) {
      return result_;
    }
    MakeBounds();
    outcome = Branch(0, problem_.nodes_to_choose());
  }
  result_.finished = outcome == Outcome::kContinue;
  return result_;
}

}  // namespace

bool CanBranch(const ThermalProblem& problem) {
  return problem.groups().size() * problem.nodes_to_choose() <= kMaxTable;
}

BranchResult ImproveByBranching(InletConstraints& constraints,
                                std::span<const double> weights,
                                const Prices& prices, double tolerance_k,
                                std::uint64_t max_subproblems, Budget& budget,
                                GroupPlacement& best) {
  return BranchAndBound(constraints, weights, prices, tolerance_k, best)
      .Run(max_subproblems, budget);
}

}  // namespace coolspan
