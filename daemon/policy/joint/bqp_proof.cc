// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/joint/bqp_proof.h"

#include <algorithm>
#include <array>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "policy/joint/bqp_nearest.h"

namespace coolspan {
namespace {

// By site: the cost of a node there with the required nodes.
std::vector<double> PricesBesideRequired(const BqpProblem& problem) {
  LatencySums sums(problem.latencies);
  for (const NodeId node : problem.required) {
    sums.Add(problem.latencies.PlaceOf(node), 1);
  }
  sums.Update();
  std::vector<double> prices;
  prices.reserve(problem.sites.size());
  for (const BqpSite& site : problem.sites) {
    prices.push_back(problem.pair_weight * sums.SumTo(site.place) + site.cost);
  }
  return prices;
}

// The sum of the n lowest prices, updated as nodes are added.
class CheapestNodes {
 public:
  explicit CheapestNodes(NodeCount nodes) : nodes_(nodes) {}

  void Add(double price, NodeCount nodes) {
    cheapest_.emplace(price, nodes);
    count_ += nodes;
    while (count_ - cheapest_.top().second >= nodes_) {
      count_ -= cheapest_.top().second;
      cheapest_.pop();
    }
  }
  // Nodes at this price or above do not change the sum.
  double MaxPrice() const {
    return count_ < nodes_ ? std::numeric_limits<double>::infinity()
                           : cheapest_.top().first;
  }
  double Sum() {
    double sum = 0;
    std::uint64_t spare = count_ - nodes_;
    for (; !cheapest_.empty(); cheapest_.pop()) {
      const auto [price, nodes] = cheapest_.top();
      sum += price * static_cast<double>(nodes - spare);
      spare = 0;
    }
    return sum;
  }

 private:
  NodeCount nodes_;
  std::uint64_t count_ = 0;
  std::priority_queue<std::pair<double, std::uint64_t>> cheapest_;
};

class BranchAndBound {
 public:
  BranchAndBound(const BqpProblem& problem, std::uint64_t max_subproblems,
                 BqpSolution& solution, Budget& budget);

  BqpProof Run();

 private:
  struct Level {
    std::array<double, kMaxBqpSites> price;  // of one more node
    std::array<double, kMaxBqpSites> share;  // of its zone's cost, if unpaid
    std::array<NodeCount, kMaxBqpSites> left;
    std::array<NodeCount, kMaxBqpSites> taken;
  };

  double PairCost(std::size_t a, std::size_t b) const {
    return pair_costs_[a * sites_ + b];
  }
  double ZoneCost(std::size_t s, const Level& level) const {
    return level.share[s] > 0 ? problem_.zone_cost[problem_.sites[s].zone] : 0;
  }
  void Take(std::size_t s, const Level& from, Level& to) const;
  // A lower bound of the cost of the `left` nodes still to choose; infinite if
  // too few are open. Sets cheapest to the cheapest site.
  double BoundOf(const Level& level, NodeCount left, std::size_t& cheapest);
  void FinishWithOne(double objective, const Level& level);
  void Record(double objective, const Level& level);
  // lower_bound: of all solutions of this subproblem.
  void Branch(double objective, NodeCount left, std::size_t depth,
              double lower_bound);

  const BqpProblem& problem_;
  const std::uint64_t max_subproblems_;
  BqpSolution& solution_;
  Budget& budget_;
  const std::size_t sites_;
  double required_objective_ = 0;
  std::vector<double> pair_costs_;            // by pair of sites
  std::vector<std::vector<double>> nearest_;  // by site and number of others
  std::vector<Level> levels_;
  std::vector<std::pair<double, NodeCount>> prices_;
  double unexplored_bound_ = std::numeric_limits<double>::infinity();
  std::uint64_t subproblems_ = 0;
};

BranchAndBound::BranchAndBound(const BqpProblem& problem,
                               std::uint64_t max_subproblems,
                               BqpSolution& solution, Budget& budget)
    : problem_(problem),
      max_subproblems_(max_subproblems),
      solution_(solution),
      budget_(budget),
      sites_(problem.sites.size()),
      required_objective_(problem.ObjectiveOf({})),
      levels_(problem.nodes_to_choose) {
  const std::vector<double> prices = PricesBesideRequired(problem);
  BqpNearest nearest(problem);
  for (std::uint32_t s = 0; s < sites_; ++s) {
    const BqpSite& site = problem.sites[s];
    for (const BqpSite& other : problem.sites) {
      pair_costs_.push_back(problem.pair_weight *
                            problem.latencies.Between(site.place, other.place));
    }
    nearest_.push_back(nearest.SumsOf(s, problem.nodes_to_choose - 1));
    for (double& sum : nearest_.back()) sum *= problem.pair_weight / 2;
    levels_[0].price[s] = prices[s];
    levels_[0].share[s] = problem.ZoneShare(site, problem.nodes_to_choose);
    levels_[0].left[s] = site.count;
    levels_[0].taken[s] = 0;
  }
}

void BranchAndBound::Take(std::size_t s, const Level& from, Level& to) const {
  to = from;
  --to.left[s];
  ++to.taken[s];
  const bool switches_on = from.share[s] > 0;
  for (std::size_t other = 0; other < sites_; ++other) {
    to.price[other] += PairCost(s, other);
    if (switches_on && problem_.sites[other].zone == problem_.sites[s].zone) {
      to.share[other] = 0;
    }
  }
}

double BranchAndBound::BoundOf(const Level& level, NodeCount left,
                               std::size_t& cheapest) {
  prices_.clear();
  NodeCount open = 0;
  double min_price = std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < sites_; ++s) {
    if (level.left[s] == 0) continue;
    const double price =
        level.price[s] + level.share[s] + nearest_[s][left - 1];
    prices_.emplace_back(price, level.left[s]);
    open += level.left[s];
    if (price < min_price) {
      min_price = price;
      cheapest = s;
    }
  }
  if (open < left) return std::numeric_limits<double>::infinity();
  if (prices_.size() > left) {
    std::nth_element(prices_.begin(), prices_.begin() + left, prices_.end());
    prices_.resize(left);
  }
  if (open > prices_.size()) std::sort(prices_.begin(), prices_.end());
  double sum = 0;
  for (const auto& [price, nodes] : prices_) {
    const NodeCount part = std::min(left, nodes);
    sum += part * price;
    left -= part;
  }
  return sum;
}

void BranchAndBound::FinishWithOne(double objective, const Level& level) {
  double min_price = std::numeric_limits<double>::infinity();
  std::size_t cheapest = 0;
  for (std::size_t s = 0; s < sites_; ++s) {
    if (level.left[s] == 0) continue;
    const double price = level.price[s] + ZoneCost(s, level);
    if (price < min_price) {
      min_price = price;
      cheapest = s;
    }
  }
  if (objective + min_price >= solution_.objective - problem_.rounding) return;
  Level whole = level;
  ++whole.taken[cheapest];
  Record(objective + min_price, whole);
}

void BranchAndBound::Record(double objective, const Level& level) {
  solution_.objective = objective;
  solution_.taken.clear();
  for (std::uint32_t s = 0; s < sites_; ++s) {
    if (level.taken[s] > 0) solution_.taken.push_back({s, level.taken[s]});
  }
}

void BranchAndBound::Branch(double objective, NodeCount left, std::size_t depth,
                            double lower_bound) {
  Level& level = levels_[depth];
  while (true) {
    if (subproblems_ == max_subproblems_ || !budget_.Spend(sites_)) {
      unexplored_bound_ = std::min(unexplored_bound_, lower_bound);
      return;
    }
    ++subproblems_;
    if (left == 1) {
      FinishWithOne(objective, level);
      return;
    }
    std::size_t cheapest = 0;
    lower_bound =
        std::max(lower_bound, objective + BoundOf(level, left, cheapest));
    if (lower_bound >= solution_.objective - problem_.rounding) return;
    Take(cheapest, level, levels_[depth + 1]);
    Branch(objective + level.price[cheapest] + ZoneCost(cheapest, level),
           left - 1, depth + 1, lower_bound);
    level.left[cheapest] = 0;
  }
}

BqpProof BranchAndBound::Run() {
  const double before = solution_.objective;
  std::size_t cheapest = 0;
  const double root = required_objective_ +
                      BoundOf(levels_[0], problem_.nodes_to_choose, cheapest);
  if (root >= before - problem_.rounding) return {before, 0, true};
  Branch(required_objective_, problem_.nodes_to_choose, 0, root);
  if (solution_.objective < before) {
    solution_.objective = problem_.ObjectiveOf(solution_.taken);
  }
  BqpProof proof;
  proof.subproblems = subproblems_;
  proof.proved = unexplored_bound_ >= solution_.objective - problem_.rounding;
  proof.lower_bound = proof.proved ? solution_.objective : unexplored_bound_;
  return proof;
}

}  // namespace

double LowerBound(const BqpProblem& problem, Budget& budget) {
  // Limits the time to a few milliseconds.
  const std::uint64_t max_pairs =
      problem.latencies.grid() != nullptr ? 1'100'000 : 300'000;
  const std::uint64_t sites = problem.sites.size();
  bool measure_pairs = sites * sites <= max_pairs && problem.pair_weight > 0;
  const NodeCount others = problem.nodes_to_choose - 1;
  BqpNearest nearest(problem);
  const double half_pair = problem.pair_weight / 2;
  const double min_pairs = half_pair * nearest.MinSum(others);

  std::vector<std::pair<double, std::uint32_t>> prices;
  const std::vector<double> prices_beside_required =
      PricesBesideRequired(problem);
  for (std::uint32_t s = 0; s < sites; ++s) {
    const double share =
        problem.ZoneShare(problem.sites[s], problem.nodes_to_choose);
    prices.emplace_back(prices_beside_required[s] + share, s);
  }
  std::sort(prices.begin(), prices.end());
  CheapestNodes cheapest(problem.nodes_to_choose);
  for (const auto& [price, s] : prices) {
    if (price + min_pairs >= cheapest.MaxPrice()) break;
    measure_pairs = measure_pairs && budget.Spend(nearest.work());
    const double pairs =
        measure_pairs ? half_pair * nearest.SumOf(s, others) : min_pairs;
    cheapest.Add(price + pairs, problem.sites[s].count);
  }
  return problem.ObjectiveOf({}) + cheapest.Sum();
}

BqpProof ProveBqp(const BqpProblem& problem, std::uint64_t max_subproblems,
                  BqpSolution& solution, Budget& budget) {
  return BranchAndBound(problem, max_subproblems, solution, budget).Run();
}

}  // namespace coolspan
