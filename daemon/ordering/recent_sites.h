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

// The relaxed problem behind SearchBestOrder: what a rest of ranks costs at
// least, as far as the sites at the last few ranks tell; a site may come again
// once it is forgotten. Each visit of a site costs its price besides, which
// RaisePrices makes such that sites come about as often as they have nodes
// (Lagrangian relaxation; Held and Karp, 1970): who knows which visits are to
// come takes their prices off. Not thread-safe.
class RecentSites {
 public:
  using Site = RankProblem::Site;
  // A row of sites at the last ranks. 0: none yet.
  using Memory = std::uint32_t;
  static constexpr Memory kNone = 0;
  static constexpr Memory kImpossible =
      std::numeric_limits<std::uint32_t>::max();

  explicit RecentSites(const RankProblem& problem);

  // The memory once the site has come next; kImpossible where the memory has
  // all nodes of the site.
  Memory Next(Memory memory, Site site) const {
    return steps_[std::size_t{memory} * sites_ + site];
  }
  ScaledCost Price(Site site) const { return prices_[site]; }
  // Of all pairs whose later rank is one of the last `left`, pairs around the
  // ring aside, and the prices of the sites there.
  ScaledCost LeastCost(Memory memory, Rank left) const {
    return least_[std::size_t{left} * memories_ + memory];
  }

  // What all ranks cost at least, prices taken off. first: the site at rank 0,
  // or any.
  ScaledCost Bound(std::optional<Site> first) const;
  // Changes the prices for a higher Bound, which is to be `goal` at best, until
  // that takes no effect or the time has come.
  void RaisePrices(std::optional<Site> first, ScaledCost goal,
                   std::chrono::steady_clock::time_point end);

 private:
  struct Limits {
    std::size_t any;   // sites remembered whatever they are
    std::size_t near;  // remembered where each is a neighbour of the one before
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
  std::vector<std::vector<Site>> by_distance_;  // of each site: all, nearest on
  std::vector<std::vector<Site>> rows_;         // by memory, latest last
  std::size_t memories_ = 0;
  std::vector<Memory> steps_;
  std::vector<ScaledCost> known_;    // by step: of pairs within the memory
  std::vector<ScaledCost> guessed_;  // and of some beyond it
  std::vector<ScaledCost> prices_;   // by site
  std::vector<ScaledCost> least_;
};

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_RECENT_SITES_H_
