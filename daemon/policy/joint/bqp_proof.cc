// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/joint/bqp_proof.h"

#include <algorithm>
#include <array>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "policy/joint/bqp_nearest.h"

namespace coolspan {
namespace {

// By site, what a node there costs beside the required ones.
std::vector<double> PricesBesideFixed(const BqpProblem& problem) {
  LatencySums sums(problem.latencies);
  for (const NodeId node : problem.fixed) {
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

// The sum of the least prices of so many nodes, as they come in.
class LeastPrices {
 public:
  explicit LeastPrices(NodeCount nodes) : wanted_(nodes) {}

  void Add(double price, NodeCount nodes) {
    held_.emplace(price, nodes);
    count_ += nodes;
    while (count_ - held_.top().second >= wanted_) {
      count_ -= held_.top().second;
      held_.pop();
    }
  }
  // Prices from here on change nothing.
  double Enough() const {
    return count_ < wanted_ ? std::numeric_limits<double>::infinity()
                            : held_.top().first;
  }
  double Sum() {
    double sum = 0;
    std::uint64_t spare = count_ - wanted_;
    for (; !held_.empty(); held_.pop()) {
      const auto [price, nodes] = held_.top();
      sum += price * static_cast<double>(nodes - spare);
      spare = 0;
    }
    return sum;
  }

 private:
  NodeCount wanted_;
  std::uint64_t count_ = 0;
  std::priority_queue<std::pair<double, std::uint64_t>> held_;
};

class BranchAndBound {
 public:
  BranchAndBound(const BqpProblem& problem, std::uint64_t max_subproblems,
                 BqpFound& found, Budget& budget);

  BqpProof Run();

 private:
  struct Level {
    std::array<double, kMaxBqpSites> price;  // of a node more
    std::array<double, kMaxBqpSites> share;  // of its zone, not yet paid
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
  // The bound of the nodes still wanted; infinite where there are too few. Sets
  // the site that costs least.
  double BoundOf(const Level& level, NodeCount left, std::size_t& cheapest);
  void FinishWithOne(double objective, const Level& level);
  void Record(double objective, const Level& level);
  // at_least: a bound of all there is below.
  void Branch(double objective, NodeCount left, std::size_t depth,
              double at_least);

  const BqpProblem& problem_;
  const std::uint64_t max_subproblems_;
  BqpFound& found_;
  Budget& budget_;
  const std::size_t sites_;
  double fixed_objective_ = 0;
  std::vector<double> pair_costs_;            // by two sites
  std::vector<std::vector<double>> nearest_;  // by site and number of others
  std::vector<Level> levels_;
  std::vector<std::pair<double, NodeCount>> prices_;
  double open_bound_ = std::numeric_limits<double>::infinity();
  std::uint64_t looked_at_ = 0;
};

BranchAndBound::BranchAndBound(const BqpProblem& problem,
                               std::uint64_t max_subproblems, BqpFound& found,
                               Budget& budget)
    : problem_(problem),
      max_subproblems_(max_subproblems),
      found_(found),
      budget_(budget),
      sites_(problem.sites.size()),
      fixed_objective_(problem.ObjectiveOf({})),
      levels_(problem.wanted) {
  const std::vector<double> prices = PricesBesideFixed(problem);
  BqpNearest nearest(problem);
  for (std::uint32_t s = 0; s < sites_; ++s) {
    const BqpSite& site = problem.sites[s];
    for (const BqpSite& other : problem.sites) {
      pair_costs_.push_back(problem.pair_weight *
                            problem.latencies.Between(site.place, other.place));
    }
    nearest_.push_back(nearest.SumsOf(s, problem.wanted - 1));
    for (double& sum : nearest_.back()) sum *= problem.pair_weight / 2;
    levels_[0].price[s] = prices[s];
    levels_[0].share[s] = problem.ZoneShare(site, problem.wanted);
    levels_[0].left[s] = site.count;
    levels_[0].taken[s] = 0;
  }
}

void BranchAndBound::Take(std::size_t s, const Level& from, Level& to) const {
  to = from;
  --to.left[s];
  ++to.taken[s];
  const bool wakes = from.share[s] > 0;
  for (std::size_t other = 0; other < sites_; ++other) {
    to.price[other] += PairCost(s, other);
    if (wakes && problem_.sites[other].zone == problem_.sites[s].zone) {
      to.share[other] = 0;
    }
  }
}

double BranchAndBound::BoundOf(const Level& level, NodeCount left,
                               std::size_t& cheapest) {
  prices_.clear();
  NodeCount open = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < sites_; ++s) {
    if (level.left[s] == 0) continue;
    const double price =
        level.price[s] + level.share[s] + nearest_[s][left - 1];
    prices_.emplace_back(price, level.left[s]);
    open += level.left[s];
    if (price < least) {
      least = price;
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
  double least = std::numeric_limits<double>::infinity();
  std::size_t cheapest = 0;
  for (std::size_t s = 0; s < sites_; ++s) {
    if (level.left[s] == 0) continue;
    const double price = level.price[s] + ZoneCost(s, level);
    if (price < least) {
      least = price;
      cheapest = s;
    }
  }
  if (objective + least >= found_.objective - problem_.rounding) return;
  Level whole = level;
  ++whole.taken[cheapest];
  Record(objective + least, whole);
}

void BranchAndBound::Record(double objective, const Level& level) {
  found_.objective = objective;
  found_.taken.clear();
  for (std::uint32_t s = 0; s < sites_; ++s) {
    if (level.taken[s] > 0) found_.taken.push_back({s, level.taken[s]});
  }
}

void BranchAndBound::Branch(double objective, NodeCount left, std::size_t depth,
                            double at_least) {
  Level& level = levels_[depth];
  while (true) {
    if (looked_at_ == max_subproblems_ || !budget_.Spend(sites_)) {
      open_bound_ = std::min(open_bound_, at_least);
      return;
    }
    ++looked_at_;
    if (left == 1) {
      FinishWithOne(objective, level);
      return;
    }
    std::size_t cheapest = 0;
    at_least = std::max(at_least, objective + BoundOf(level, left, cheapest));
    if (at_least >= found_.objective - problem_.rounding) return;
    Take(cheapest, level, levels_[depth + 1]);
    Branch(objective + level.price[cheapest] + ZoneCost(cheapest, level),
           left - 1, depth + 1, at_least);
    level.left[cheapest] = 0;
  }
}

BqpProof BranchAndBound::Run() {
  const double before = found_.objective;
  std::size_t cheapest = 0;
  const double root =
      fixed_objective_ + BoundOf(levels_[0], problem_.wanted, cheapest);
  if (root >= before - problem_.rounding) return {before, 0, true};
  Branch(fixed_objective_, problem_.wanted, 0, root);
  if (found_.objective < before) {
    found_.objective = problem_.ObjectiveOf(found_.taken);
  }
  BqpProof proof;
  proof.looked_at = looked_at_;
  proof.proved = open_bound_ >= found_.objective - problem_.rounding;
  proof.lower_bound = proof.proved ? found_.objective : open_bound_;
  return proof;
}

}  // namespace

double LowerBound(const BqpProblem& problem, Budget& budget) {
  // Pairs of sites: what takes some milliseconds.
  const std::uint64_t max_pairs =
      problem.latencies.grid() != nullptr ? 1'100'000 : 300'000;
  const std::uint64_t sites = problem.sites.size();
  bool look = sites * sites <= max_pairs && problem.pair_weight > 0;
  const NodeCount others = problem.wanted - 1;
  BqpNearest nearest(problem);
  const double half_pair = problem.pair_weight / 2;
  const double min_pairs = half_pair * nearest.LeastSum(others);

  std::vector<std::pair<double, std::uint32_t>> prices;
  const std::vector<double> beside = PricesBesideFixed(problem);
  for (std::uint32_t s = 0; s < sites; ++s) {
    const double share = problem.ZoneShare(problem.sites[s], problem.wanted);
    prices.emplace_back(beside[s] + share, s);
  }
  std::sort(prices.begin(), prices.end());
  LeastPrices least(problem.wanted);
  for (const auto& [price, s] : prices) {
    if (price + min_pairs >= least.Enough()) break;
    look = look && budget.Spend(nearest.work());
    const double pairs =
        look ? half_pair * nearest.SumOf(s, others) : min_pairs;
    least.Add(price + pairs, problem.sites[s].count);
  }
  return problem.ObjectiveOf({}) + least.Sum();
}

BqpProof ProveBqp(const BqpProblem& problem, std::uint64_t max_subproblems,
                  BqpFound& found, Budget& budget) {
  return BranchAndBound(problem, max_subproblems, found, budget).Run();
}

}  // namespace coolspan
