// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/joint/bqp_search.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

namespace coolspan {
namespace {

struct PricedSite {
  double price;
  std::uint32_t site;

  friend bool operator<(const PricedSite& a, const PricedSite& b) {
    return std::tie(a.price, a.site) < std::tie(b.price, b.site);
  }
};

// The chosen nodes, with sums of latencies from every place to them.
class Selection {
 public:
  explicit Selection(const BqpProblem& problem)
      : problem_(problem),
        sums_(problem.latencies),
        counts_(problem.sites.size(), 0),
        in_zone_(problem.zone_cost.size(), 0) {
    for (const NodeId node : problem.required) {
      sums_.Add(problem.latencies.PlaceOf(node), 1);
      required_places_.push_back(problem.latencies.PlaceOf(node));
    }
    sums_.Update();
  }

  void Set(std::span<const BqpTaken> taken);
  // Sums latencies as if all nodes to choose were at the place.
  void AssumeAllAt(std::uint32_t place);
  void Move(std::uint32_t from, std::uint32_t to);

  std::span<const NodeCount> counts() const { return counts_; }
  // The cost of one node at the site: its site cost and its pairs.
  double PriceOf(std::uint32_t s) const {
    const BqpSite& site = problem_.sites[s];
    return problem_.pair_weight * sums_.SumTo(site.place) + site.cost;
  }
  NodeCount InZone(ZoneId zone) const { return in_zone_[zone]; }
  double farthest() const { return sums_.farthest(); }
  double Objective() const;
  std::vector<BqpTaken> Taken() const;

 private:
  void AddTo(std::uint32_t s, NodeCount nodes);
  void RemoveFrom(std::uint32_t s, NodeCount nodes);
  void Clear();
  void ClearAssumedPlace();

  const BqpProblem& problem_;
  LatencySums sums_;
  std::vector<NodeCount> counts_;    // by site
  std::vector<NodeCount> in_zone_;   // by zone; empty: no zone costs
  std::vector<std::uint32_t> used_;  // sites; can include emptied ones
  std::vector<std::uint32_t> required_places_;
  std::optional<std::uint32_t> assumed_place_;
};

void Selection::AddTo(std::uint32_t s, NodeCount nodes) {
  const BqpSite& site = problem_.sites[s];
  sums_.Add(site.place, nodes);
  if (counts_[s] == 0) used_.push_back(s);
  counts_[s] += nodes;
  if (!in_zone_.empty()) in_zone_[site.zone] += nodes;
}

void Selection::RemoveFrom(std::uint32_t s, NodeCount nodes) {
  const BqpSite& site = problem_.sites[s];
  sums_.Remove(site.place, nodes);
  counts_[s] -= nodes;
  if (!in_zone_.empty()) in_zone_[site.zone] -= nodes;
}

void Selection::ClearAssumedPlace() {
  if (assumed_place_) sums_.Remove(*assumed_place_, problem_.nodes_to_choose);
  assumed_place_.reset();
}

void Selection::Clear() {
  ClearAssumedPlace();
  for (const std::uint32_t s : used_) {
    if (counts_[s] > 0) RemoveFrom(s, counts_[s]);
  }
  used_.clear();
}

// Keeps nodes that stay, because adding and removing are the expensive part.
void Selection::Set(std::span<const BqpTaken> taken) {
  ClearAssumedPlace();
  std::vector<std::uint32_t> before;
  before.swap(used_);
  std::vector<std::pair<std::uint32_t, NodeCount>> kept;
  for (const BqpTaken& part : taken) {
    if (const NodeCount count = counts_[part.site]; count > 0) {
      const NodeCount common = std::min(count, part.nodes);
      if (count > common) RemoveFrom(part.site, count - common);
      kept.emplace_back(part.site, common);
      counts_[part.site] = 0;
    }
  }
  for (const std::uint32_t s : before) {
    if (counts_[s] > 0) RemoveFrom(s, counts_[s]);
  }
  for (const auto& [s, nodes] : kept) {
    counts_[s] = nodes;
    used_.push_back(s);
  }
  for (const BqpTaken& part : taken) {
    const NodeCount count = counts_[part.site];
    if (part.nodes > count) AddTo(part.site, part.nodes - count);
  }
  sums_.Update();
}

void Selection::AssumeAllAt(std::uint32_t place) {
  Clear();
  sums_.Add(place, problem_.nodes_to_choose);
  assumed_place_ = place;
  sums_.Update();
}

void Selection::Move(std::uint32_t from, std::uint32_t to) {
  RemoveFrom(from, 1);
  AddTo(to, 1);
  sums_.Update();
}

double Selection::Objective() const {
  double sums = 0;
  double cost = problem_.required_cost;
  for (std::uint32_t s = 0; s < counts_.size(); ++s) {
    if (counts_[s] == 0) continue;
    const BqpSite& site = problem_.sites[s];
    sums += counts_[s] * sums_.SumTo(site.place);
    cost += counts_[s] * site.cost;
  }
  for (const std::uint32_t place : required_places_) sums += sums_.SumTo(place);
  for (ZoneId zone = 0; zone < in_zone_.size(); ++zone) {
    if (in_zone_[zone] > 0) cost += problem_.zone_cost[zone];
  }
  return problem_.pair_weight * sums / 2 + cost;
}

std::vector<BqpTaken> Selection::Taken() const {
  std::vector<BqpTaken> taken;
  for (std::uint32_t s = 0; s < counts_.size(); ++s) {
    if (counts_[s] > 0) taken.push_back({s, counts_[s]});
  }
  return taken;
}

class BqpSearch {
 public:
  BqpSearch(const BqpProblem& problem, Budget& budget)
      : problem_(problem), budget_(budget), selection_(problem) {
    zone_share_.resize(problem.sites.size(), 0);
    if (problem.zone_cost.empty()) return;
    for (std::size_t s = 0; s < zone_share_.size(); ++s) {
      zone_share_[s] =
          problem.ZoneShare(problem.sites[s], problem.nodes_to_choose);
    }
  }

  BqpSolution Run();

 private:
  struct Start {
    double objective;
    std::vector<BqpTaken> taken;
  };
  struct Swap {
    double change = 0;  // of the objective
    std::uint32_t out = 0;
    std::uint32_t in = 0;
  };

  std::size_t CentreCount() const;
  bool Spend() { return budget_.Spend(WorkPerPass()); }
  std::uint64_t WorkPerPass() const {
    return problem_.sites.size() +
           problem_.nodes_to_choose * problem_.latencies.WorkOfAdding();
  }
  std::vector<BqpTaken> Cheapest();
  void Keep(std::vector<BqpTaken> taken, double objective);
  double Descend(double objective);
  double ImproveBySwaps(double objective);
  Swap BestSwap();

  const BqpProblem& problem_;
  Budget& budget_;
  Selection selection_;
  std::vector<double> zone_share_;  // by site
  std::vector<PricedSite> addable_;
  std::vector<PricedSite> removable_;  // price: the negative saving
  std::vector<Start> best_;            // ascending by objective
  BqpSolution solution_;
};

// The nodes with the lowest price relative to the selection, including a share
// of the zone cost.
std::vector<BqpTaken> BqpSearch::Cheapest() {
  addable_.clear();
  for (std::uint32_t s = 0; s < problem_.sites.size(); ++s) {
    addable_.push_back({selection_.PriceOf(s) + zone_share_[s], s});
  }
  const std::size_t count =
      std::min<std::size_t>(problem_.nodes_to_choose, addable_.size());
  const auto end = addable_.begin() + static_cast<std::ptrdiff_t>(count);
  if (end != addable_.end()) {
    std::nth_element(addable_.begin(), end, addable_.end());
  }
  std::uint64_t nodes = 0;
  for (auto it = addable_.begin(); it != end; ++it) {
    nodes += problem_.sites[it->site].count;
  }
  if (nodes > problem_.nodes_to_choose) std::sort(addable_.begin(), end);
  std::vector<BqpTaken> taken;
  NodeCount left = problem_.nodes_to_choose;
  for (auto it = addable_.begin(); left > 0; ++it) {
    const NodeCount part = std::min(left, problem_.sites[it->site].count);
    taken.push_back({it->site, part});
    left -= part;
  }
  return taken;
}

void BqpSearch::Keep(std::vector<BqpTaken> taken, double objective) {
  constexpr std::size_t kMaxKept = 6;
  std::sort(
      taken.begin(), taken.end(),
      [](const BqpTaken& a, const BqpTaken& b) { return a.site < b.site; });
  const auto at = std::lower_bound(
      best_.begin(), best_.end(), objective,
      [](const Start& a, double b) { return a.objective < b; });
  for (auto it = at; it != best_.end(); ++it) {
    if (it->objective > objective + problem_.rounding) break;
    if (it->taken == taken) return;
  }
  best_.insert(at, {objective, std::move(taken)});
  if (best_.size() > kMaxKept) best_.pop_back();
}

double BqpSearch::Descend(double objective) {
  while (Spend()) {
    const std::vector<BqpTaken> before = selection_.Taken();
    selection_.Set(Cheapest());
    const double next = selection_.Objective();
    if (next >= objective - problem_.rounding) {
      selection_.Set(before);
      return objective;
    }
    objective = next;
    ++solution_.steps;
  }
  return objective;
}

// A swap changes the objective by
//   price(in) - price(out) - pair_weight * H_{in,out}
// With nodes sorted by price, only the pairs within pair_weight * max H of the
// best need to be evaluated.
BqpSearch::Swap BqpSearch::BestSwap() {
  const std::span<const NodeCount> counts = selection_.counts();
  const bool zones = !problem_.zone_cost.empty();
  removable_.clear();
  addable_.clear();
  double max_saving = -std::numeric_limits<double>::infinity();
  for (std::uint32_t s = 0; s < counts.size(); ++s) {
    if (counts[s] == 0) continue;
    const ZoneId zone = problem_.sites[s].zone;
    double saving = selection_.PriceOf(s);
    if (zones && selection_.InZone(zone) == 1) {
      saving += problem_.zone_cost[zone];
    }
    removable_.push_back({-saving, s});
    max_saving = std::max(max_saving, saving);
  }
  const double max_pair_cost = problem_.pair_weight * selection_.farthest();
  for (std::uint32_t s = 0; s < counts.size(); ++s) {
    const BqpSite& site = problem_.sites[s];
    if (counts[s] == site.count) continue;
    double price = selection_.PriceOf(s);
    if (zones && selection_.InZone(site.zone) == 0) {
      price += problem_.zone_cost[site.zone];
    }
    if (price - max_saving - max_pair_cost < 0) addable_.push_back({price, s});
  }
  std::sort(removable_.begin(), removable_.end());
  std::sort(addable_.begin(), addable_.end());
  Swap best{-problem_.rounding, 0, 0};
  for (const PricedSite& removed : removable_) {
    const BqpSite& from = problem_.sites[removed.site];
    for (const PricedSite& added : addable_) {
      const double price_change = added.price + removed.price;
      if (price_change - max_pair_cost >= best.change) break;
      if (added.site == removed.site) continue;
      const BqpSite& to = problem_.sites[added.site];
      double change =
          price_change - problem_.pair_weight *
                             problem_.latencies.Between(from.place, to.place);
      if (zones && from.zone == to.zone && selection_.InZone(from.zone) == 1) {
        change += problem_.zone_cost[from.zone];
      }
      if (change < best.change) best = {change, removed.site, added.site};
    }
  }
  return best;
}

double BqpSearch::ImproveBySwaps(double objective) {
  while (Spend()) {
    const Swap swap = BestSwap();
    if (swap.out == swap.in) break;
    selection_.Move(swap.out, swap.in);
    objective += swap.change;
    ++solution_.steps;
  }
  return objective;
}

// Limits the starts to a few milliseconds on any machine.
std::size_t BqpSearch::CentreCount() const {
  constexpr std::uint64_t kWork = 150'000;
  constexpr std::uint64_t kMinCentres = 4;
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(
      kWork / WorkPerPass(), kMinCentres,
      std::max<std::uint64_t>(kMinCentres, problem_.sites.size())));
}

BqpSolution BqpSearch::Run() {
  const auto add_start = [this] {
    selection_.Set(Cheapest());
    Keep(selection_.Taken(), selection_.Objective());
    ++solution_.starts;
  };
  add_start();
  const std::size_t sites = problem_.sites.size();
  const std::size_t centres =
      problem_.pair_weight > 0 ? std::min(CentreCount(), sites) : 0;
  for (std::size_t i = 0; i < centres && Spend(); ++i) {
    selection_.AssumeAllAt(problem_.sites[i * sites / centres].place);
    add_start();
  }
  const std::vector<Start> starts = best_;
  for (const Start& start : starts) {
    if (!Spend()) break;
    selection_.Set(start.taken);
    const double objective = ImproveBySwaps(Descend(start.objective));
    Keep(selection_.Taken(), objective);
  }
  solution_.taken = best_.front().taken;
  solution_.objective = problem_.ObjectiveOf(solution_.taken);
  return std::move(solution_);
}

}  // namespace

BqpSolution SearchBqp(const BqpProblem& problem, Budget& budget) {
  return BqpSearch(problem, budget).Run();
}

}  // namespace coolspan
