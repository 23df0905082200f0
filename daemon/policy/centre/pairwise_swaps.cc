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
  std::int64_t change = 0;  // of the total; below 0: an improvement
  VertexId goes = 0;
  VertexId comes = 0;

  friend bool operator<(const Swap& a, const Swap& b) {
    return std::tie(a.change, a.goes, a.comes) <
           std::tie(b.change, b.goes, b.comes);
  }
};

class Swapping {
 public:
  Swapping(const Topology& topology, const GridTable* grid,
           const FreeSites& sites, std::span<const VertexNodes> chosen)
      : topology_(topology),
        sites_(sites),
        chosen_(sites.capacity.size(), 0),
        sums_(topology, grid) {
    for (const VertexNodes& site : chosen) chosen_[site.vertex] += site.count;
  }

  // To be called before anything else; false where the budget ended before.
  bool SumDistances(std::span<const VertexNodes> chosen, Budget& budget);
  Swap Best();
  void Make(const Swap& swap) {
    --chosen_[swap.goes];
    ++chosen_[swap.comes];
    sums_.Remove(swap.goes, 1);
    sums_.Add(swap.comes, 1);
  }
  const std::vector<NodeCount>& chosen() const { return chosen_; }

 private:
  const Topology& topology_;
  const FreeSites& sites_;
  std::vector<NodeCount> chosen_;  // by vertex
  DistanceSums sums_;
  std::vector<Site> going_;
  std::vector<Site> coming_;
};

bool Swapping::SumDistances(std::span<const VertexNodes> chosen,
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

// A swap changes the total by sum(comes) - sum(goes) - distance(goes, comes),
// so with nodes sorted by their sums few pairs need a look.
Swap Swapping::Best() {
  going_.clear();
  coming_.clear();
  sums_.Update();
  std::uint64_t most = 0;
  for (VertexId v = 0; v < chosen_.size(); ++v) {
    if (chosen_[v] == 0) continue;
    going_.push_back({sums_.SumTo(v), v});
    most = std::max(most, going_.back().sum);
  }
  const std::uint64_t reach = most + sums_.farthest();
  for (VertexId v = 0; v < chosen_.size(); ++v) {
    if (chosen_[v] >= sites_.capacity[v]) continue;
    const std::uint64_t sum = sums_.SumTo(v);
    if (sum < reach) coming_.push_back({sum, v});
  }
  std::sort(going_.begin(), going_.end(), [](const Site& a, const Site& b) {
    return a.sum != b.sum ? a.sum > b.sum : a.vertex < b.vertex;
  });
  std::sort(coming_.begin(), coming_.end(), [](const Site& a, const Site& b) {
    return a.sum != b.sum ? a.sum < b.sum : a.vertex < b.vertex;
  });
  Swap best;
  const auto diameter = static_cast<std::int64_t>(sums_.farthest());
  for (const Site& goes : going_) {
    for (const Site& comes : coming_) {
      const std::int64_t apart = static_cast<std::int64_t>(comes.sum) -
                                 static_cast<std::int64_t>(goes.sum);
      if (apart - diameter > best.change || apart - diameter >= 0) break;
      if (goes.vertex == comes.vertex) continue;
      const std::int64_t change = apart - std::int64_t{topology_.VertexDistance(
                                              goes.vertex, comes.vertex)};
      if (change < 0)
        best = std::min(best, {change, goes.vertex, comes.vertex});
    }
  }
  return best;
}

}  // namespace

Improved ImproveBySwaps(const Topology& topology, const GridTable* grid,
                        const FreeSites& sites,
                        std::span<const VertexNodes> chosen, Budget& budget) {
  Swapping swapping(topology, grid, sites, chosen);
  Improved improved;
  const bool summed = swapping.SumDistances(chosen, budget);
  while (summed && budget.Spend(sites.capacity.size())) {
    const Swap swap = swapping.Best();
    if (swap.change >= 0) break;
    swapping.Make(swap);
    ++improved.swaps;
    improved.saved += static_cast<std::uint64_t>(-swap.change);
  }
  const std::vector<NodeCount>& counts = swapping.chosen();
  for (VertexId v = 0; v < counts.size(); ++v) {
    if (counts[v] > 0) improved.chosen.push_back({v, counts[v]});
  }
  return improved;
}

}  // namespace coolspan
