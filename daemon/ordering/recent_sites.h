// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ORDERING_RECENT_SITES_H_
#define COOLSPAN_ORDERING_RECENT_SITES_H_

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "ordering/rank_problem.h"

namespace coolspan {

// The relaxed problem of SearchBestOrder: a lower bound on the cost of the
// remaining ranks, given the sites at the last few ranks (the memory). The
// relaxation: a site may be visited again once it has left the memory.
// Lagrangian relaxation (Held and Karp, 1970): each visit of a site costs a
// price in addition, and RaisePrices adjusts prices until sites are visited
// about as often as they have nodes. A bound on the true cost is MinCost minus
// the prices of the remaining visits. Not thread-safe.
class RecentSites {
 public:
  using Site = RankProblem::Site;
  // A sequence of sites at the last ranks. 0: empty.
  using Memory = std::uint32_t;
  static constexpr Memory kNone = 0;
  static constexpr Memory kImpossible =
      std::numeric_limits<std::uint32_t>::max();

  explicit RecentSites(const RankProblem& problem);

  // The memory after the site; kImpossible if all nodes of the site are in the
  // memory already.
  Memory Next(Memory memory, Site site) const {
    return steps_[std::size_t{memory} * sites_ + site];
  }
  ScaledCost Price(Site site) const { return prices_[site]; }
  // Minimum cost of the pairs with their later rank among the last `left`
  // ranks, without pairs around the ring, plus the prices of the sites at those
  // ranks.
  ScaledCost MinCost(Memory memory, Rank left) const {
    return min_cost_[std::size_t{left} * memories_ + memory];
  }

  // Lower bound on the cost of all ranks, without prices. first: the site at
  // rank 0, or any.
  ScaledCost Bound(std::optional<Site> first) const;
  // Adjusts the prices to raise Bound towards `goal`, until there is no
  // progress or the time is over.
  void RaisePrices(std::optional<Site> first, ScaledCost goal,
                   std::chrono::steady_clock::time_point end);

 private:
  struct Limits {
    std::size_t any;   // length for all sequences
    std::size_t near;  // length for sequences of neighbours
  };
  bool Enumerate(const Limits& limits, std::size_t most);
  void Forget(std::vector<Site>& row, const Limits& limits) const;
  void FindStepCosts();
  void Solve();
  ScaledCost Cost(std::size_t step, Rank left) const;
  Memory Start(std::optional<Site> first) const;
  std::vector<NodeCount> VisitsOfBest(std::optional<Site> first) const;
  ScaledCost StepCost(const std::vector<Site>& row, Site site,
                      Rank beyond) const;

  const RankProblem& problem_;
  const std::size_t sites_;
  std::vector<ScaledCost> hops_;                // sites_ x sites_
  std::vector<std::vector<Site>> by_distance_;  // by site: all, nearest first
  std::vector<std::vector<Site>> rows_;         // by memory; latest site last
  std::size_t memories_ = 0;
  std::vector<Memory> steps_;
  // By step: cost of pairs within the memory, and the same plus a lower bound
  // for some ranks before it.
  std::vector<ScaledCost> known_;
  std::vector<ScaledCost> extended_;
  std::vector<ScaledCost> prices_;  // by site
  std::vector<ScaledCost> min_cost_;
};

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_RECENT_SITES_H_
