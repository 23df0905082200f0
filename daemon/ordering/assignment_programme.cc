// SPDX-License-Identifier: GPL-3.0-or-later
#include "ordering/assignment_programme.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

#include "solver/linear_program.h"

namespace coolspan {
namespace {

using Site = RankProblem::Site;
using Term = LinearProgram::Term;

class Programme {
 public:
  explicit Programme(const RankProblem& problem)
      : problem_(problem), ranks_(problem.ranks()) {
    AddAssignments();
    BreakSymmetry();
    for (Site site = 0; site < problem.sites(); ++site) {
      for (Rank rank = 0; rank < ranks_; ++rank) AddCost(site, rank);
    }
  }

  const LinearProgram& linear() const { return linear_; }
  // Values of the variables for an order, rotated or reversed as the symmetry
  // breaking requires.
  std::vector<double> ValuesOf(std::vector<Site> order) const;
  std::vector<Site> OrderOf(const std::vector<double>& values) const;

 private:
  // Order of the variables: all x, then all z.
  std::size_t X(Site site, Rank rank) const {
    return std::size_t{site} * ranks_ + rank;
  }
  std::size_t Z(Site site, Rank rank) const {
    return std::size_t{problem_.sites()} * ranks_ + X(site, rank);
  }
  double WeightOf(Rank a, Rank b) const {
    return static_cast<double>(problem_.Weight(a, b)) / kCostScale;
  }
  double HopsOf(Site a, Site b) const {
    return static_cast<double>(problem_.HopsBetween(a, b));
  }

  void AddAssignments();
  void BreakSymmetry();
  void AddCost(Site site, Rank rank);
  // low and high of assignment_programme.h.
  std::pair<double, double> CostBounds(Site site, Rank rank) const;
  double RankSum(const std::vector<Site>& order) const;

  const RankProblem& problem_;
  const Rank ranks_;
  LinearProgram linear_;
};

void Programme::AddAssignments() {
  for (Site site = 0; site < problem_.sites(); ++site) {
    std::vector<Term> terms;
    for (Rank rank = 0; rank < ranks_; ++rank) {
      terms.push_back({linear_.AddBinary(0), 1});
    }
    linear_.AddRow(problem_.NodesAt(site), problem_.NodesAt(site),
                   std::move(terms));
  }
  for (Rank rank = 0; rank < ranks_; ++rank) {
    std::vector<Term> terms;
    for (Site site = 0; site < problem_.sites(); ++site) {
      terms.push_back({X(site, rank), 1});
    }
    linear_.AddRow(1, 1, std::move(terms));
  }
}

void Programme::BreakSymmetry() {
  if (problem_.ring()) {
    linear_.AddRow(1, 1, {{X(0, 0), 1}});
    return;
  }
  std::vector<Term> terms;
  for (Rank rank = 0; rank < ranks_; ++rank) {
    terms.push_back({X(0, rank), static_cast<double>(rank)});
  }
  linear_.AddRow(-kInfinity, problem_.NodesAt(0) * (ranks_ - 1) / 2.0,
                 std::move(terms));
}

std::pair<double, double> Programme::CostBounds(Site site, Rank rank) const {
  std::vector<double> hops;
  std::vector<double> weights;
  for (Site other = 0; other < problem_.sites(); ++other) {
    const NodeCount own = other == site ? 1 : 0;
    hops.insert(hops.end(), problem_.NodesAt(other) - own, HopsOf(site, other));
  }
  for (Rank other = 0; other < ranks_; ++other) {
    if (other != rank) weights.push_back(WeightOf(rank, other));
  }
  std::sort(hops.begin(), hops.end());
  std::sort(weights.begin(), weights.end(), std::greater<>());
  double low = 0;
  double high = 0;
  for (std::size_t i = 0; i < hops.size(); ++i) {
    low += hops[i] * weights[i];
    high += hops[i] * weights[weights.size() - 1 - i];
  }
  return {low, high};
}

void Programme::AddCost(Site site, Rank rank) {
  const auto [low, high] = CostBounds(site, rank);
  const std::size_t z = linear_.AddVariable(0, kInfinity, 0.5);
  linear_.AddRow(0, kInfinity, {{z, 1}, {X(site, rank), -low}});
  std::vector<Term> terms = {{z, 1}, {X(site, rank), -high}};
  for (Site other = 0; other < problem_.sites(); ++other) {
    for (Rank at = 0; at < ranks_; ++at) {
      const double cost = WeightOf(rank, at) * HopsOf(site, other);
      if (cost > 0) terms.push_back({X(other, at), -cost});
    }
  }
  linear_.AddRow(-high, kInfinity, std::move(terms));
}

double Programme::RankSum(const std::vector<Site>& order) const {
  double sum = 0;
  for (Rank rank = 0; rank < ranks_; ++rank) sum += order[rank] == 0 ? rank : 0;
  return sum;
}

std::vector<double> Programme::ValuesOf(std::vector<Site> order) const {
  if (problem_.ring()) {
    std::rotate(order.begin(), std::find(order.begin(), order.end(), Site{0}),
                order.end());
  } else if (2 * RankSum(order) > problem_.NodesAt(0) * (ranks_ - 1.0)) {
    std::reverse(order.begin(), order.end());
  }
  std::vector<double> values(linear_.variables().size(), 0);
  for (Rank rank = 0; rank < ranks_; ++rank) {
    values[X(order[rank], rank)] = 1;
    double& cost = values[Z(order[rank], rank)];
    for (Rank other = 0; other < ranks_; ++other) {
      cost += WeightOf(rank, other) * HopsOf(order[rank], order[other]);
    }
  }
  return values;
}

std::vector<Site> Programme::OrderOf(const std::vector<double>& values) const {
  std::vector<Site> order(ranks_, 0);
  for (Site site = 0; site < problem_.sites(); ++site) {
    for (Rank rank = 0; rank < ranks_; ++rank) {
      if (values[X(site, rank)] > 0.5) order[rank] = site;
    }
  }
  return order;
}

}  // namespace

absl::StatusOr<SearchResult> SolveAsProgramme(
    const RankProblem& problem, std::vector<RankProblem::Site> order,
    double seconds) {
  const Programme programme(problem);
  const absl::StatusOr<Solution> solution =
      Solve(programme.linear(),
            {.seconds = seconds, .incumbent = programme.ValuesOf(order)});
  if (!solution.ok()) return solution.status();
  SearchResult result{std::move(order), 0, 0};
  result.cost = problem.CostOf(result.order);
  std::vector<Site> found = programme.OrderOf(solution->values);
  const ScaledCost cost = problem.CostOf(found);
  if (cost < result.cost) {
    result.order = std::move(found);
    result.cost = cost;
  }
  // GLPK's tolerances are wider than the smallest weight.
  constexpr double kTolerance = 1e-6;
  const double bound = std::floor((solution->bound - kTolerance) * kCostScale);
  result.bound = solution->status == SolveStatus::kOptimal
                     ? result.cost
                     : static_cast<ScaledCost>(std::max(bound, 0.0));
  return result;
}

}  // namespace coolspan
