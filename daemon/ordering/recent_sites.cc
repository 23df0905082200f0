// SPDX-License-Identifier: GPL-3.0-or-later
#include "ordering/recent_sites.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ordering/exact_search.h"

namespace coolspan {
namespace {

constexpr std::size_t kMaxSteps = std::size_t{1} << 23;  // memories * sites
constexpr std::size_t kMaxMemory = 10;                   // sites
// Ranks before the memory that are bounded; earlier ones have little weight.
constexpr Rank kBeyondMemory = 6;
constexpr ScaledCost kNever = std::numeric_limits<ScaledCost>::max() / 2;

std::string KeyOf(const std::vector<RankProblem::Site>& row) {
  return {row.begin(), row.end()};
}

}  // namespace

RecentSites::RecentSites(const RankProblem& problem)
    : problem_(problem), sites_(problem.sites()), prices_(problem.sites(), 0) {
  for (Site a = 0; a < sites_; ++a) {
    for (Site b = 0; b < sites_; ++b) {
      hops_.push_back(problem.HopsBetween(a, b));
    }
    std::vector<Site>& nearest = by_distance_.emplace_back(sites_);
    std::iota(nearest.begin(), nearest.end(), Site{0});
    std::stable_sort(nearest.begin(), nearest.end(), [&](Site b, Site c) {
      return hops_[a * sites_ + b] < hops_[a * sites_ + c];
    });
  }
  // At most half of a ring, so that no pair counts on both sides.
  const std::size_t longest = std::min<std::size_t>(
      kMaxMemory,
      problem.ring() ? (problem.ranks() - 1) / 2 : problem.ranks() - 1);
  const std::size_t most = kMaxSteps / sites_;
  std::size_t any = 1;
  while (any < longest && Enumerate({any + 1, any + 1}, most / 4)) ++any;
  std::size_t near = std::max(any, longest);
  while (!Enumerate({any, near}, most) && near > any) --near;
  FindStepCosts();
  Solve();
}

// Shortens a sequence to its memory: sequences with many jumps, which good
// orders rarely have, to shorter ones.
void RecentSites::Forget(std::vector<Site>& row, const Limits& limits) const {
  constexpr ScaledCost kPerHop = 2;
  const std::size_t most = std::max(limits.any, limits.near);
  std::size_t keep = 1;
  ScaledCost hops_jumped = 0;
  for (std::size_t length = 2; length <= std::min(row.size(), most); ++length) {
    const Site later = row[row.size() - length + 1];
    const Site earlier = row[row.size() - length];
    hops_jumped += std::max<ScaledCost>(hops_[later * sites_ + earlier] - 1, 0);
    const ScaledCost limit =
        static_cast<ScaledCost>(limits.near) - kPerHop * hops_jumped;
    if (length <= limits.any || static_cast<ScaledCost>(length) <= limit) {
      keep = length;
    }
  }
  row.erase(row.begin(), row.end() - static_cast<std::ptrdiff_t>(keep));
}

bool RecentSites::Enumerate(const Limits& limits, std::size_t most) {
  rows_.assign(1, {});
  steps_.clear();
  absl::flat_hash_map<std::string, Memory> known;
  std::vector<Site> row;
  for (std::size_t memory = 0; memory < rows_.size(); ++memory) {
    for (Site site = 0; site < sites_; ++site) {
      row = rows_[memory];
      const auto held = std::count(row.begin(), row.end(), site);
      if (static_cast<NodeCount>(held) == problem_.NodesAt(site)) {
        steps_.push_back(kImpossible);
        continue;
      }
      row.push_back(site);
      Forget(row, limits);
      const auto [entry, is_new] =
          known.try_emplace(KeyOf(row), static_cast<Memory>(rows_.size()));
      if (is_new) {
        rows_.push_back(row);
        if (rows_.size() > most) return false;
      }
      steps_.push_back(entry->second);
    }
  }
  memories_ = rows_.size();
  return true;
}

// Cost of the pairs of the site's rank with earlier ranks: exact for those in
// the row, a lower bound for `beyond` ranks before it.
ScaledCost RecentSites::StepCost(const std::vector<Site>& row, Site site,
                                 Rank beyond) const {
  const ScaledCost* const hops = &hops_[std::size_t{site} * sites_];
  ScaledCost cost = 0;
  Rank k = 0;
  std::array<NodeCount, kMaxSearched> held{};
  while (k < row.size()) {
    const Site other = row[row.size() - 1 - k];
    ++held[other];
    cost += problem_.Weight(0, ++k) * hops[other];
  }
  ++held[site];
  // Lower bound: the nearest nodes not in the row come directly before it.
  const Rank half =
      problem_.ring() ? (problem_.ranks() - 1) / 2 : problem_.ranks();
  const Rank last = std::min(k + beyond, half);
  for (const Site other : by_distance_[site]) {
    for (NodeCount free = problem_.NodesAt(other) - held[other];
         free > 0 && k < last; --free) {
      cost += problem_.Weight(0, ++k) * hops[other];
    }
    if (k >= last) break;
  }
  return cost;
}

void RecentSites::FindStepCosts() {
  known_.assign(steps_.size(), 0);
  extended_.assign(steps_.size(), 0);
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    if (steps_[step] == kImpossible) continue;
    const std::vector<Site>& row = rows_[step / sites_];
    const auto site = static_cast<Site>(step % sites_);
    known_[step] = StepCost(row, site, 0);
    extended_[step] = StepCost(row, site, kBeyondMemory);
  }
}

// Close to rank 0 there are not kBeyondMemory ranks before the memory.
ScaledCost RecentSites::Cost(std::size_t step, Rank left) const {
  const bool has_ranks_before =
      rows_[step / sites_].size() + kBeyondMemory + left <= problem_.ranks();
  return (has_ranks_before ? extended_ : known_)[step] + prices_[step % sites_];
}

void RecentSites::Solve() {
  const Rank ranks = problem_.ranks();
  min_cost_.assign((std::size_t{ranks} + 1) * memories_, 0);
  for (Rank left = 1; left <= ranks; ++left) {
    const ScaledCost* const after =
        &min_cost_[(std::size_t{left} - 1) * memories_];
    for (std::size_t memory = 0; memory < memories_; ++memory) {
      const std::size_t first = memory * sites_;
      const bool has_ranks_before =
          rows_[memory].size() + kBeyondMemory + left <= ranks;
      const ScaledCost* const costs =
          &(has_ranks_before ? extended_ : known_)[first];
      ScaledCost best = kNever;
      for (std::size_t site = 0; site < sites_; ++site) {
        const Memory next = steps_[first + site];
        if (next == kImpossible) continue;
        best = std::min(best, costs[site] + prices_[site] + after[next]);
      }
      min_cost_[std::size_t{left} * memories_ + memory] = best;
    }
  }
}

ScaledCost RecentSites::Bound(std::optional<Site> first) const {
  const Rank ranks = problem_.ranks();
  ScaledCost bound =
      first.has_value()
          ? MinCost(Next(kNone, *first), ranks - 1) + Cost(*first, ranks)
          : MinCost(kNone, ranks);
  for (Site site = 0; site < sites_; ++site) {
    bound -= prices_[site] * problem_.NodesAt(site);
  }
  return bound;
}

// How often an optimal solution of the relaxed problem visits each site.
std::vector<NodeCount> RecentSites::VisitsOfBest(
    std::optional<Site> first) const {
  std::vector<NodeCount> visits(sites_, 0);
  Memory memory = kNone;
  for (Rank left = problem_.ranks(); left > 0; --left) {
    Site best = 0;
    ScaledCost best_cost = kNever;
    for (Site site = 0; site < sites_; ++site) {
      const std::size_t step = std::size_t{memory} * sites_ + site;
      if (steps_[step] == kImpossible) continue;
      if (memory == kNone && first.has_value() && site != *first) continue;
      const ScaledCost cost =
          Cost(step, left) + MinCost(steps_[step], left - 1);
      if (cost < best_cost) {
        best = site;
        best_cost = cost;
      }
    }
    ++visits[best];
    memory = Next(memory, best);
  }
  return visits;
}

// Subgradient ascent with Polyak's step length: with visits v and nodes n of
// the sites,
//   prices += step_factor * (goal - bound) / |v - n|^2 * (v - n)
void RecentSites::RaisePrices(std::optional<Site> first, ScaledCost goal,
                              std::chrono::steady_clock::time_point end) {
  constexpr int kMaxWithoutProgress = 8;
  ScaledCost best = Bound(first);
  std::vector<ScaledCost> best_prices = prices_;
  double step_factor = 0.3;
  int without_progress = 0;
  while (best < goal && without_progress < kMaxWithoutProgress &&
         std::chrono::steady_clock::now() < end) {
    const std::vector<NodeCount> visits = VisitsOfBest(first);
    double squares = 0;
    for (Site site = 0; site < sites_; ++site) {
      const double off = static_cast<double>(visits[site]) -
                         static_cast<double>(problem_.NodesAt(site));
      squares += off * off;
    }
    if (squares == 0) break;
    const double step =
        step_factor * static_cast<double>(goal - Bound(first)) / squares;
    for (Site site = 0; site < sites_; ++site) {
      const double off = static_cast<double>(visits[site]) -
                         static_cast<double>(problem_.NodesAt(site));
      prices_[site] += static_cast<ScaledCost>(step * off);
    }
    Solve();
    const ScaledCost raised = Bound(first) - best;
    if (raised > 0) {
      best += raised;
      best_prices = prices_;
    }
    if (raised > (goal - best) / 50) {
      without_progress = 0;
    } else {
      ++without_progress;
      step_factor *= 0.9;
    }
  }
  prices_ = std::move(best_prices);
  Solve();
}

}  // namespace coolspan
