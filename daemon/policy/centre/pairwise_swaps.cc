// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/pairwise_swaps.h"

#include <algorithm>
#include <tuple>

#include "policy/distance/distance_sums.h"

namespace coolspan {
namespace {

struct Site {
  std::uint64_t sum;
  VertexId vertex;
};

struct Swap {
  std::int64_t change = 0;  // of the total pairwise distance
  VertexId removed = 0;
  VertexId added = 0;

  friend bool operator<(const Swap& a, const Swap& b) {
    return std::tie(a.change, a.removed, a.added) <
           std::tie(b.change, b.removed, b.added);
  }
};

class SwapSearch {
 public:
  SwapSearch(const Topology& topology, const GridTable* grid,
             const FreeSites& sites, std::span<const VertexNodes> chosen)
      : topology_(topology),
        sites_(sites),
        chosen_(sites.capacity.size(), 0),
        sums_(topology, grid) {
    for (const VertexNodes& site : chosen) chosen_[site.vertex] += site.count;
  }

  // Call before Best and Make. False: the budget ended first.
  bool SumDistances(std::span<const VertexNodes> chosen, Budget& budget);
  Swap Best();
  void Make(const Swap& swap) {
    --chosen_[swap.removed];
    ++chosen_[swap.added];
    sums_.Remove(swap.removed, 1);
    sums_.Add(swap.added, 1);
  }
  const std::vector<NodeCount>& chosen() const { return chosen_; }

 private:
  const Topology& topology_;
  const FreeSites& sites_;
  std::vector<NodeCount> chosen_;  // by vertex
  DistanceSums sums_;
  std::vector<Site> removable_;
  std::vector<Site> addable_;
};

bool SwapSearch::SumDistances(std::span<const VertexNodes> chosen,
                              Budget& budget) {
  for (const std::span<const VertexNodes> part :
       {chosen, std::span<const VertexNodes>(sites_.required)}) {
    for (const VertexNodes& site : part) {
      if (!budget.Spend(sums_.WorkOfAdding())) return false;
      sums_.Add(site.vertex, site.count);
    }
  }
  return true;
}

// With s(x) the sum of distances from x to the chosen and required nodes,
// replacing u by v changes the total by
//   s(v) - s(u) - d(u, v)
// As d(u, v) is bounded, few pairs need to be tried in ascending order of
// s(v) - s(u).
Swap SwapSearch::Best() {
  removable_.clear();
  addable_.clear();
  sums_.Update();
  std::uint64_t max_sum = 0;
  for (VertexId v = 0; v < chosen_.size(); ++v) {
    if (chosen_[v] == 0) continue;
    removable_.push_back({sums_.SumTo(v), v});
    max_sum = std::max(max_sum, removable_.back().sum);
  }
  const std::uint64_t reach = max_sum + sums_.farthest();
  for (VertexId v = 0; v < chosen_.size(); ++v) {
    if (chosen_[v] >= sites_.capacity[v]) continue;
    const std::uint64_t sum = sums_.SumTo(v);
    if (sum < reach) addable_.push_back({sum, v});
  }
  std::sort(removable_.begin(), removable_.end(),
            [](const Site& a, const Site& b) {
              return a.sum != b.sum ? a.sum > b.sum : a.vertex < b.vertex;
            });
  std::sort(addable_.begin(), addable_.end(), [](const Site& a, const Site& b) {
    return a.sum != b.sum ? a.sum < b.sum : a.vertex < b.vertex;
  });
  Swap best;
  const auto diameter = static_cast<std::int64_t>(sums_.farthest());
  for (const Site& removed : removable_) {
    for (const Site& added : addable_) {
      const std::int64_t difference = static_cast<std::int64_t>(added.sum) -
                                      static_cast<std::int64_t>(removed.sum);
      if (difference - diameter > best.change || difference - diameter >= 0)
        break;
      if (removed.vertex == added.vertex) continue;
      const std::int64_t change =
          difference -
          std::int64_t{topology_.VertexDistance(removed.vertex, added.vertex)};
      if (change < 0)
        best = std::min(best, {change, removed.vertex, added.vertex});
    }
  }
  return best;
}

}  // namespace

Improved ImproveBySwaps(const Topology& topology, const GridTable* grid,
                        const FreeSites& sites,
                        std::span<const VertexNodes> chosen, Budget& budget) {
  SwapSearch search(topology, grid, sites, chosen);
  Improved improved;
  const bool summed = search.SumDistances(chosen, budget);
  while (summed && budget.Spend(sites.capacity.size())) {
    const Swap swap = search.Best();
    if (swap.change >= 0) break;
    search.Make(swap);
    ++improved.swaps;
    improved.saved += static_cast<std::uint64_t>(-swap.change);
  }
  const std::vector<NodeCount>& counts = search.chosen();
  for (VertexId v = 0; v < counts.size(); ++v) {
    if (counts[v] > 0) improved.chosen.push_back({v, counts[v]});
  }
  return improved;
}

}  // namespace coolspan
