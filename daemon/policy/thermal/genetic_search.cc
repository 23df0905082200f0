// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/thermal/genetic_search.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "policy/uniform_draw.h"

namespace coolspan {
namespace {

constexpr std::size_t kPoolSize = 60;
constexpr std::size_t kSelected = 40;  // parents per generation
constexpr std::uint64_t kMaxGenerations = 400;
constexpr std::uint64_t kMaxStalledGenerations = 60;  // without improvement

class GeneticSearch {
 public:
  GeneticSearch(const ThermalProblem& problem, std::uint64_t seed,
                Budget& budget)
      : problem_(problem), random_(seed), budget_(budget) {}

  GeneticResult Run();

 private:
  std::uint32_t DrawBelow(std::size_t bound) {
    return UniformDraw(random_, static_cast<std::uint32_t>(bound));
  }
  std::vector<NodeCount> FillInRandomOrder();
  std::vector<std::size_t> Select();
  GroupPlacement Mutate(const GroupPlacement& parent);
  GroupPlacement Recombine(const GroupPlacement& a, const GroupPlacement& b);

  const ThermalProblem& problem_;
  std::mt19937_64 random_;
  Budget& budget_;
  std::vector<GroupPlacement> pool_;  // lowest peak first
};

// The basic feasible solution of algorithm 3, with the groups in random order:
//   BFS[i] = min(c_tot, s_i); c_tot -= BFS[i]
// for c_tot nodes to choose and s_i available nodes.
std::vector<NodeCount> GeneticSearch::FillInRandomOrder() {
  const auto groups = problem_.groups();
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<NodeCount> counts(groups.size(), 0);
  NodeCount left = problem_.nodes_to_choose();
  for (std::size_t i = 0; left > 0; ++i) {
    std::swap(order[i], order[i + DrawBelow(order.size() - i)]);
    const NodeCount taken = std::min(left, groups[order[i]].capacity);
    counts[order[i]] = taken;
    left -= taken;
  }
  return counts;
}

// Roulette wheel: a placement is selected with a probability proportional to
//   max T_peak of the pool - T_peak + kMinShareK
std::vector<std::size_t> GeneticSearch::Select() {
  constexpr double kMinShareK = 1e-3;
  constexpr std::uint32_t kSteps = 1U << 30;
  const double highest_c = pool_.back().peak_c();
  std::vector<double> wheel;
  double sum = 0;
  for (const GroupPlacement& placement : pool_) {
    sum += highest_c - placement.peak_c() + kMinShareK;
    wheel.push_back(sum);
  }
  std::vector<std::size_t> selected;
  for (std::size_t i = 0; i < kSelected; ++i) {
    const double at = sum * DrawBelow(kSteps) / kSteps;
    const auto hit = std::upper_bound(wheel.begin(), wheel.end() - 1, at);
    selected.push_back(static_cast<std::size_t>(hit - wheel.begin()));
  }
  return selected;
}

// Moves a random number of nodes from one random group to another, up to the
// free capacity there.
GroupPlacement GeneticSearch::Mutate(const GroupPlacement& parent) {
  GroupPlacement child = parent;
  const auto groups = problem_.groups();
  const std::size_t in = DrawBelow(groups.size());
  const std::size_t out = DrawBelow(groups.size());
  const NodeCount nodes =
      std::min(groups[in].capacity - child.counts()[in], child.counts()[out]);
  if (in != out && nodes > 0) child.Move(out, in, 1 + DrawBelow(nodes));
  return child;
}

// Takes a cyclic run of groups from b and the others from a. A surplus or
// shortage of nodes is balanced in the groups outside the run, the one with the
// most nodes to give or the most free capacity first.
GroupPlacement GeneticSearch::Recombine(const GroupPlacement& a,
                                        const GroupPlacement& b) {
  const auto groups = problem_.groups();
  const std::size_t first = DrawBelow(groups.size());
  const std::size_t length = DrawBelow(groups.size());
  std::vector<NodeCount> counts = a.counts();
  std::uint64_t sum = problem_.nodes_to_choose();
  std::vector<std::size_t> outside;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::size_t g = (first + i) % groups.size();
    if (i < length) {
      sum = sum + b.counts()[g] - counts[g];
      counts[g] = b.counts()[g];
    } else {
      outside.push_back(g);
    }
  }
  const bool over = sum > problem_.nodes_to_choose();
  auto left = static_cast<NodeCount>(over ? sum - problem_.nodes_to_choose()
                                          : problem_.nodes_to_choose() - sum);
  const auto slack = [&](std::size_t g) {
    return over ? counts[g] : groups[g].capacity - counts[g];
  };
  std::stable_sort(
      outside.begin(), outside.end(),
      [&](std::size_t x, std::size_t y) { return slack(x) > slack(y); });
  for (const std::size_t g : outside) {
    if (left == 0) break;
    const NodeCount nodes = std::min(left, slack(g));
    counts[g] = over ? counts[g] - nodes : counts[g] + nodes;
    left -= nodes;
  }
  GroupPlacement child = a;
  child.MoveTo(counts);
  return child;
}

GeneticResult GeneticSearch::Run() {
  const std::uint64_t zones = problem_.zone_count();
  do {
    pool_.emplace_back(problem_, FillInRandomOrder());
  } while (
      pool_.size() < kPoolSize &&
      budget_.Spend(zones * std::min<std::uint64_t>(problem_.nodes_to_choose(),
                                                    problem_.groups().size())));
  const auto lower_peak = [](const GroupPlacement& a, const GroupPlacement& b) {
    return a.peak_c() < b.peak_c();
  };
  std::stable_sort(pool_.begin(), pool_.end(), lower_peak);
  GeneticResult result{pool_.front()};
  std::uint64_t stalled = 0;
  while (stalled < kMaxStalledGenerations &&
         result.generations < kMaxGenerations && problem_.groups().size() > 1 &&
         budget_.Spend(kSelected * 8 * zones)) {
    const std::vector<std::size_t> selected = Select();
    for (std::size_t i = 0; i < selected.size(); ++i) {
      if (i % 2 == 0) {
        pool_.push_back(Mutate(pool_[selected[i]]));
      } else {
        pool_.push_back(Recombine(pool_[selected[i]], pool_[selected[i - 1]]));
      }
      ++result.children;
    }
    std::stable_sort(pool_.begin(), pool_.end(), lower_peak);
    if (pool_.size() > kPoolSize) {
      pool_.erase(pool_.begin() + static_cast<std::ptrdiff_t>(kPoolSize),
                  pool_.end());
    }
    ++result.generations;
    ++stalled;
    if (pool_.front().peak_c() < result.best.peak_c()) {
      result.best = pool_.front();
      stalled = 0;
    }
  }
  return result;
}

}  // namespace

GeneticResult EvolvePlacement(const ThermalProblem& problem, std::uint64_t seed,
                              Budget& budget) {
  return GeneticSearch(problem, seed, budget).Run();
}

}  // namespace coolspan
