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

constexpr std::size_t kMaxTable = 40'000;  // groups times wanted nodes
constexpr std::size_t kMaxMeans = 24;
constexpr std::uint64_t kPortion = 256;  // parts between looks at the budget

// A weighted mean of inlets, and what it comes to at least.
struct Mean {
  double base_c = 0;
  std::vector<double> k_per_watt;  // by place in the order of groups
  // What k nodes of the groups from a place on add at least: by place, then k.
  std::vector<double> min_k;
};

class Branching {
 public:
  Branching(InletConstraints& rows, std::span<const double> weights,
            const Prices& prices, double tolerance_k, GroupPlacement& best)
      : rows_(rows),
        question_(rows.question()),
        weights_(weights),
        prices_(prices),
        tolerance_k_(tolerance_k),
        best_(best),
        counts_(question_.groups().size(), 0),
        in_zone_(question_.zone_count(), 0) {}

  Branched Run(std::uint64_t most, Budget& budget);

 private:
  enum class Went { kOn, kNewRow, kEnded };

  void OrderGroups();
  void MakeMeans();
  Mean MakeMean(double base_c, std::vector<double> k_per_watt) const;
  double LeastWatts(std::size_t group, bool warms) const;
  Went Decide(std::size_t place, NodeCount left);
  Went TryCount(std::size_t place, NodeCount left, NodeCount count);
  Went TryPlacing();
  double Limit() const { return best_.peak_c() - tolerance_k_; }

  InletConstraints& rows_;
  const ThermalProblem& question_;
  std::span<const double> weights_;
  const Prices& prices_;
  double tolerance_k_;
  GroupPlacement& best_;
  std::vector<std::size_t> order_;
  std::vector<NodeCount> nodes_from_;  // of the groups from a place on
  std::vector<Mean> means_;
  std::vector<double> mean_c_;  // of each, with what is decided
  std::vector<NodeCount> counts_;
  std::vector<NodeCount> in_zone_;
  Branched result_;
  std::uint64_t most_ = 0;
  Budget* budget_ = nullptr;
};

void Branching::OrderGroups() {
  order_.resize(counts_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const auto doubt = [this](std::size_t g) {
    return std::abs(prices_.of_group[g] - prices_.threshold);
  };
  std::stable_sort(
      order_.begin(), order_.end(),
      [&](std::size_t a, std::size_t b) { return doubt(a) > doubt(b); });
  nodes_from_.assign(order_.size() + 1, 0);
  for (std::size_t place = order_.size(); place-- > 0;) {
    nodes_from_[place] =
        nodes_from_[place + 1] + question_.groups()[order_[place]].capacity;
  }
}

// What a node of the group draws at least, or at most where that is what makes
// the mean least. A zone of several groups may be awake already.
double Branching::LeastWatts(std::size_t group, bool warms) const {
  const HeatGroup& own = question_.groups()[group];
  if (!warms) return own.watts + question_.WakingWatts(own.zone);
  return own.capacity == question_.CapacityOf(own.zone)
             ? rows_.LeastWatts(group)
             : own.watts;
}

Mean Branching::MakeMean(double base_c, std::vector<double> k_per_watt) const {
  const std::size_t wanted = question_.wanted();
  const std::size_t width = wanted + 1;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  Mean mean{base_c, std::move(k_per_watt), {}};
  mean.min_k.assign((order_.size() + 1) * width, kNever);
  mean.min_k[order_.size() * width] = 0;
  std::vector<double> cheapest;  // at most `wanted` of them, ascending
  for (std::size_t place = order_.size(); place-- > 0;) {
    const double k = mean.k_per_watt[place];
    const double own = k * LeastWatts(order_[place], k >= 0);
    const std::size_t more = std::min<std::size_t>(
        wanted, question_.groups()[order_[place]].capacity);
    const auto at = std::upper_bound(cheapest.begin(), cheapest.end(), own);
    cheapest.insert(at, more, own);
    if (cheapest.size() > wanted) cheapest.resize(wanted);
    double sum = 0;
    double* row = &mean.min_k[place * width];
    row[0] = 0;
    for (std::size_t n = 0; n < cheapest.size(); ++n) {
      sum += cheapest[n];
      row[n + 1] = sum;
    }
  }
  return mean;
}

// The mean of the relaxation, and the warmest rows, each for itself.
void Branching::MakeMeans() {
  means_.clear();
  std::vector<double> pull(order_.size(), 0.0);
  double base_c = 0;
  for (std::size_t row = 0; row < weights_.size(); ++row) {
    if (weights_[row] == 0) continue;
    base_c += weights_[row] * rows_.BaseC(row);
    for (std::size_t place = 0; place < pull.size(); ++place) {
      pull[place] += weights_[row] * rows_.KPerWatt(row)[order_[place]];
    }
  }
  if (!weights_.empty()) means_.push_back(MakeMean(base_c, std::move(pull)));
  std::vector<std::size_t> warmest(rows_.size());
  std::iota(warmest.begin(), warmest.end(), std::size_t{0});
  std::stable_sort(warmest.begin(), warmest.end(),
                   [this](std::size_t a, std::size_t b) {
                     return best_.inlet_c()[rows_.InletOf(a)] >
                            best_.inlet_c()[rows_.InletOf(b)];
                   });
  if (warmest.size() > kMaxMeans) warmest.resize(kMaxMeans);
  for (const std::size_t row : warmest) {
    std::vector<double> k_per_watt(order_.size());
    for (std::size_t place = 0; place < order_.size(); ++place) {
      k_per_watt[place] = rows_.KPerWatt(row)[order_[place]];
    }
    means_.push_back(MakeMean(rows_.BaseC(row), std::move(k_per_watt)));
  }
  mean_c_.clear();
  for (const Mean& mean : means_) mean_c_.push_back(mean.base_c);
}

Branching::Went Branching::TryPlacing() {
  GroupPlacement placing(question_, counts_);
  if (placing.peak_c() < Limit()) {
    best_ = std::move(placing);
    return Went::kOn;
  }
  // An inlet that no mean looks at made it no better.
  if (rows_.Has(placing.peak_zone()) || means_.size() > kMaxMeans) {
    return Went::kOn;
  }
  rows_.Add(placing.peak_zone());
  return Went::kNewRow;
}

Branching::Went Branching::TryCount(std::size_t place, NodeCount left,
                                    NodeCount count) {
  const std::size_t group = order_[place];
  const HeatGroup& own = question_.groups()[group];
  double watts = count * own.watts;
  if (count > 0 && in_zone_[own.zone] == 0) {
    watts += question_.WakingWatts(own.zone);
  }
  const std::size_t width = question_.wanted() + 1;
  const std::size_t rest = (place + 1) * width + (left - count);
  bool holds_less = true;
  const double limit = Limit();
  for (std::size_t m = 0; m < means_.size(); ++m) {
    mean_c_[m] += watts * means_[m].k_per_watt[place];
    if (mean_c_[m] + means_[m].min_k[rest] >= limit) holds_less = false;
  }
  Went went = Went::kOn;
  if (holds_less) {
    counts_[group] = count;
    in_zone_[own.zone] += count;
    went = Decide(place + 1, left - count);
    in_zone_[own.zone] -= count;
    counts_[group] = 0;
  }
  for (std::size_t m = 0; m < means_.size(); ++m) {
    mean_c_[m] -= watts * means_[m].k_per_watt[place];
  }
  return went;
}

Branching::Went Branching::Decide(std::size_t place, NodeCount left) {
  if (++result_.looked_at % kPortion == 0 &&
      (result_.looked_at > most_ ||
       !budget_->Spend(kPortion * means_.size()))) {
    return Went::kEnded;
  }
  if (left == 0) return TryPlacing();
  const std::size_t group = order_[place];
  const NodeCount capacity = question_.groups()[group].capacity;
  const NodeCount least =
      left > nodes_from_[place + 1] ? left - nodes_from_[place + 1] : 0;
  const NodeCount most = std::min(left, capacity);
  const bool cheap = prices_.of_group[group] <= prices_.threshold;
  for (NodeCount i = 0; i <= most - least; ++i) {
    const Went went = TryCount(place, left, cheap ? most - i : least + i);
    if (went != Went::kOn) return went;
  }
  return Went::kOn;
}

Branched Branching::Run(std::uint64_t most, Budget& budget) {
  most_ = most;
  budget_ = &budget;
  OrderGroups();
  Went went = Went::kNewRow;
  while (went == Went::kNewRow) {
    if (!budget.Spend(order_.size() * (rows_.size() + 1) *
                      (question_.wanted() + 1))) {
      return result_;
    }
    MakeMeans();
    went = Decide(0, question_.wanted());
  }
  result_.finished = went == Went::kOn;
  return result_;
}

}  // namespace

bool CanBranch(const ThermalProblem& question) {
  return question.groups().size() * question.wanted() <= kMaxTable;
}

Branched BranchForPeak(InletConstraints& rows, std::span<const double> weights,
                       const Prices& prices, double tolerance_k,
                       std::uint64_t most, Budget& budget,
                       GroupPlacement& best) {
  return Branching(rows, weights, prices, tolerance_k, best).Run(most, budget);
}

}  // namespace coolspan
