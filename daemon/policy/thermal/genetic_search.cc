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

constexpr std::size_t kPool = 60;
constexpr std::size_t kSelected = 40;  // of the pool, each generation
constexpr std::uint64_t kMaxGenerations = 400;
constexpr std::uint64_t kPatience = 60;  // generations without a better one

class Evolution {
 public:
  Evolution(const ThermalProblem& question, std::uint64_t seed, Budget& budget)
      : question_(question), random_(seed), budget_(budget) {}

  Evolved Run();

 private:
  std::uint32_t Below(std::size_t bound) {
    return UniformDraw(random_, static_cast<std::uint32_t>(bound));
  }
  std::vector<NodeCount> FillInSomeOrder();
  std::vector<std::size_t> Select();
  GroupPlacement Mutate(const GroupPlacement& parent);
  GroupPlacement Recombine(const GroupPlacement& a, const GroupPlacement& b);

  const ThermalProblem& question_;
  std::mt19937_64 random_;
  Budget& budget_;
  std::vector<GroupPlacement> pool_;  // the fittest first
};

// The paper's BFS: one group after another is filled.
std::vector<NodeCount> Evolution::FillInSomeOrder() {
  const auto groups = question_.groups();
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<NodeCount> counts(groups.size(), 0);
  NodeCount left = question_.wanted();
  for (std::size_t i = 0; left > 0; ++i) {
    std::swap(order[i], order[i + Below(order.size() - i)]);
    const NodeCount own = std::min(left, groups[order[i]].capacity);
    counts[order[i]] = own;
    left -= own;
  }
  return counts;
}

// Roulette wheel: a placing's share of it is how far its peak is below the
// highest of the pool.
std::vector<std::size_t> Evolution::Select() {
  constexpr double kMinShareK = 1e-3;
  constexpr std::uint32_t kSteps = 1U << 30;
  const double highest_c = pool_.back().peak_c();
  std::vector<double> wheel;
  double sum = 0;
  for (const GroupPlacement& placing : pool_) {
    sum += highest_c - placing.peak_c() + kMinShareK;
    wheel.push_back(sum);
  }
  std::vector<std::size_t> selected;
  for (std::size_t i = 0; i < kSelected; ++i) {
    const double at = sum * Below(kSteps) / kSteps;
    const auto hit = std::upper_bound(wheel.begin(), wheel.end() - 1, at);
    selected.push_back(static_cast<std::size_t>(hit - wheel.begin()));
  }
  return selected;
}

// As many nodes of one group as another has room for go there.
GroupPlacement Evolution::Mutate(const GroupPlacement& parent) {
  GroupPlacement child = parent;
  const auto groups = question_.groups();
  const std::size_t in = Below(groups.size());
  const std::size_t out = Below(groups.size());
  const NodeCount nodes =
      std::min(groups[in].capacity - child.counts()[in], child.counts()[out]);
  if (in != out && nodes > 0) child.Move(out, in, 1 + Below(nodes));
  return child;
}

// A run of groups (around the end to the first) is as in b, the rest as in a;
// what is too much or too little there, groups outside make up for: the one
// with the most room gives or takes first.
GroupPlacement Evolution::Recombine(const GroupPlacement& a,
                                    const GroupPlacement& b) {
  const auto groups = question_.groups();
  const std::size_t first = Below(groups.size());
  const std::size_t length = Below(groups.size());
  std::vector<NodeCount> counts = a.counts();
  std::uint64_t sum = question_.wanted();
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
  const bool too_many = sum > question_.wanted();
  auto left = static_cast<NodeCount>(too_many ? sum - question_.wanted()
                                              : question_.wanted() - sum);
  const auto room = [&](std::size_t g) {
    return too_many ? counts[g] : groups[g].capacity - counts[g];
  };
  std::stable_sort(
      outside.begin(), outside.end(),
      [&](std::size_t x, std::size_t y) { return room(x) > room(y); });
  for (const std::size_t g : outside) {
    if (left == 0) break;
    const NodeCount nodes = std::min(left, room(g));
    counts[g] = too_many ? counts[g] - nodes : counts[g] + nodes;
    left -= nodes;
  }
  GroupPlacement child = a;
  child.MoveTo(counts);
  return child;
}

Evolved Evolution::Run() {
  const std::uint64_t zones = question_.zone_count();
  do {
    pool_.emplace_back(question_, FillInSomeOrder());
  } while (pool_.size() < kPool &&
           budget_.Spend(zones *
                         std::min<std::uint64_t>(question_.wanted(),
                                                 question_.groups().size())));
  const auto fitter = [](const GroupPlacement& a, const GroupPlacement& b) {
    return a.peak_c() < b.peak_c();
  };
  std::stable_sort(pool_.begin(), pool_.end(), fitter);
  Evolved evolved{pool_.front()};
  std::uint64_t since = 0;
  while (since < kPatience && evolved.generations < kMaxGenerations &&
         question_.groups().size() > 1 &&
         budget_.Spend(kSelected * 8 * zones)) {
    const std::vector<std::size_t> selected = Select();
    for (std::size_t i = 0; i < selected.size(); ++i) {
      if (i % 2 == 0) {
        pool_.push_back(Mutate(pool_[selected[i]]));
      } else {
        pool_.push_back(Recombine(pool_[selected[i]], pool_[selected[i - 1]]));
      }
      ++evolved.children;
    }
    std::stable_sort(pool_.begin(), pool_.end(), fitter);
    if (pool_.size() > kPool) {
      pool_.erase(pool_.begin() + static_cast<std::ptrdiff_t>(kPool),
                  pool_.end());
    }
    ++evolved.generations;
    ++since;
    if (pool_.front().peak_c() < evolved.best.peak_c()) {
      evolved.best = pool_.front();
      since = 0;
    }
  }
  return evolved;
}

}  // namespace

Evolved EvolvePlacing(const ThermalProblem& question, std::uint64_t seed,
                      Budget& budget) {
  return Evolution(question, seed, budget).Run();
}

}  // namespace coolspan
